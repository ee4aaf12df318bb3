package views

import "regexp"

// secretKeys are the keys whose values are masked, wherever the word is in the
// key, and in any case.
const secretKeys = `password|passwd|passphrase|secret|token|api_?key|authorization|credential|private_?key`

// secrets finds the values of secret keys in JSON text; a value that is cut off
// ends with the text.
var secrets = regexp.MustCompile(`(?i)("[^"]*(?:` + secretKeys + `)[^"]*"\s*:\s*)("(?:[^"\\]|\\.)*"?|-?[0-9][^,}\]\s]*|true|false)`)

// Masked is JSON text with the values of secret keys hidden.
func Masked(json string) string { return Look{}.mask(json) }

// mask hides the values of secret keys in JSON text, unless they are to be
// shown.
func (l Look) mask(json string) string {
	if l.Unmask {
		return json
	}
	return secrets.ReplaceAllString(json, `$1"***"`)
}
