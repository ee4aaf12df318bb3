package views_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"weft/flow"
	"weft/views"
)

// TestTourShowsFiltersThatWork: what the tour of the console shows can be typed.
func TestTourShowsFiltersThatWork(t *testing.T) {
	text, err := os.ReadFile("../docs/console.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```filter\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("docs/console.md has no filters")
	}
	for _, line := range strings.Split(strings.TrimSpace(string(block[1])), "\n") {
		if _, err := views.ParseFilter(line, flow.Instant(1e18)); err != nil {
			t.Errorf("/%s: %v", line, err)
		}
	}
}

// TestTourNamesThemes: each theme there is.
func TestTourNamesThemes(t *testing.T) {
	text, err := os.ReadFile("../docs/console.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range views.ThemeNames() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/console.md does not name the theme %s", name)
		}
	}
}
