package views_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"weft/views"
)

func TestClean(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"plain text stays":                  {"ord-1 ok", "ord-1 ok"},
		"accents and wide characters stay":  {"ñ 注文 é", "ñ 注文 é"},
		"a combined accent stays":           {"e\u0301", "e\u0301"},
		"escape":                            {"\x1b[2J", `\x1b[2J`},
		"c0":                                {"a\x00\x07\x7f", `a\x00\x07\x7f`},
		"c1":                                {"a\u009b31m", `a\u009b31m`},
		"line ends":                         {"a\r\nb", `a\r\nb`},
		"tab":                               {"a\tb", "a    b"},
		"bytes that are not UTF-8":          {"a\xff\x9bz", `a\xff\x9bz`},
		"a cut character":                   {"a\xe6\xb3", `a\xe6\xb3`},
		"text direction":                    {"a\u202eb\u2066c", `a\u202eb\u2066c`},
		"line separator":                    {"a\u2028b", `a\u2028b`},
		"zero width":                        {"a\u200bb\ufeffc\u00add", `a\u200bb\ufeffc\u00add`},
		"tags":                              {"a\U000e0041", `a\U000e0041`},
		"invisible letters":                 {"a\u3164b\u2800", `a\u3164b\u2800`},
		"variation selectors and joiners":   {"\u26a0\ufe0f a\u200db", "\u26a0 ab"},
		"skin tones are spelled":            {"👍🏽", `👍\U0001f3fd`},
		"a lone combining mark is spelled":  {"\u0301a", `\u0301a`},
		"the replacement character is text": {"\ufffd", "\ufffd"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := views.Clean(tc.in); got != tc.want {
				t.Errorf("Clean(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b]52;c;x\x07", "👩‍👩‍👧 🇩🇪 नमस्ते", "\u202e\u2028\xff", "e\u0301\u0301", "ㅤ한글", "1️⃣ ⚠️"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, clean := range map[string]func(string) string{"Clean": views.Clean, "CleanASCII": views.CleanASCII} {
			got := clean(s)
			if !utf8.ValidString(got) {
				t.Fatalf("%s(%q) = %q is not UTF-8", name, s, got)
			}
			for _, r := range got {
				if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\u200d' {
					t.Fatalf("%s(%q) = %q has %U", name, s, got, r)
				}
			}
			if g, w := ansi.StringWidth(got), ansi.StringWidthWc(got); g != w {
				t.Fatalf("%s(%q) = %q: %d cells by graphemes, %d by characters", name, s, got, g, w)
			}
			if again := clean(got); again != got {
				t.Fatalf("%s(%q) = %q, and again %q", name, s, got, again)
			}
		}
	})
}

func FuzzFit(f *testing.F) {
	f.Add("注文-東京-7f3a9c1e", 9)
	f.Add("e\u0301🇩🇪👍🏽", 3)
	f.Fuzz(func(t *testing.T, s string, w int) {
		if w < 0 || w > 200 {
			return
		}
		s = views.Clean(s)
		for name, fit := range map[string]func(string, int) string{"Fit": views.Fit, "FitMiddle": views.FitMiddle, "FitRight": views.FitRight} {
			got := fit(s, w)
			if g, c := ansi.StringWidth(got), ansi.StringWidthWc(got); g != w || c != w {
				t.Fatalf("%s(%q, %d) = %q: %d and %d cells", name, s, w, got, g, c)
			}
		}
	})
}
