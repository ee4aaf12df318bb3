package config_test

import (
	"testing"

	"weft/config"
	"weft/keymap"
)

// TestTextSaysAllThatIsInForce: what is shown can be used as a file, and means the
// same.
func TestTextSaysAllThatIsInForce(t *testing.T) {
	for name, text := range map[string]string{
		"defaults": "",
		"all": "theme = \"mine\"\nsecrets = ['a\"b']\n[alarm]\nowed_after = \"90m\"\n[store.\"/srv/a.b\"]\nlabel = \"PROD\"\n" +
			"[themes.mine]\nbad = \"red\"\n[keys]\ncancel = []\nsignal = [\"\\\"\", \"ctrl+\\\\\"]\nclear-marks = \"f1\"",
	} {
		t.Run(name, func(t *testing.T) {
			f := parse(t, text)
			shown, err := f.Text()
			if err != nil {
				t.Fatal(err)
			}
			again, err := config.Parse("again", []byte(shown))
			if err != nil {
				t.Fatalf("what is shown cannot be used: %v\n%s", err, shown)
			}
			if twice, err := again.Text(); err != nil || twice != shown {
				t.Errorf("shown again, %v:\n%s\nfirst:\n%s", err, twice, shown)
			}
			if a, b := f.Settings("/srv/a.b"), again.Settings("/srv/a.b"); a.Badge != b.Badge || b.Keys.Find(keymap.Runs, "c") != a.Keys.Find(keymap.Runs, "c") {
				t.Errorf("%+v is not %+v", b.Badge, a.Badge)
			}
		})
	}
}
