package tui

import (
	"os"
	"regexp"
	"testing"
)

// TestTourNamesCommandsThatAre: what the tour of the console shows behind a colon
// is a command.
func TestTourNamesCommandsThatAre(t *testing.T) {
	text, err := os.ReadFile("../docs/console.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("`:([a-z-]+)[^`]*`").FindAllSubmatch(text, -1)
	if len(found) < 5 {
		t.Fatalf("%d commands in the tour, the test reads it wrongly", len(found))
	}
	for _, m := range found {
		if _, ok := words[string(m[1])]; !ok {
			t.Errorf("docs/console.md: there is no command :%s", m[1])
		}
	}
}
