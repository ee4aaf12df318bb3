package views

import "regexp"

// secretKeys are the keys whose values are masked, wherever the word is in the
// key, and in any case.
const secretKeys = `password|passwd|passphrase|secret|token|api_?key|authorization|credential|private_?key`

// Secrets says which values of JSON text are hidden: those of keys in which one
// of its words is, in any case. The zero Secrets has the usual words only.
type Secrets struct{ re *regexp.Regexp }

var usual = secretsOf(secretKeys)

// NewSecrets hides the values of the usual keys, and of those with one of words.
func NewSecrets(words []string) Secrets {
	keys := secretKeys
	for _, w := range words {
		if w != "" {
			keys += "|" + regexp.QuoteMeta(w)
		}
	}
	return secretsOf(keys)
}

// secretsOf finds the values of secret keys in JSON text; a value that is cut off
// ends with the text.
func secretsOf(keys string) Secrets {
	return Secrets{regexp.MustCompile(`(?i)("[^"]*(?:` + keys + `)[^"]*"\s*:\s*)("(?:[^"\\]|\\.)*"?|-?[0-9][^,}\]\s]*|true|false)`)}
}

// Masked is JSON text with the values of secret keys hidden, unless they are to
// be shown.
func (l Look) Masked(json string) string { return l.mask(json) }

// mask is [Look.Masked].
func (l Look) mask(json string) string {
	re := l.Secrets.re
	if re == nil {
		re = usual.re
	}
	if l.Unmask {
		return json
	}
	return re.ReplaceAllString(json, `$1"***"`)
}
