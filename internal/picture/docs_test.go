package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const docs = "../../docs"

// TestPicturesAreThere: the pictures in the repository are those that are taken,
// and small.
func TestPicturesAreThere(t *testing.T) {
	const most = 60 << 10
	taken := map[string]bool{}
	for _, p := range pictures {
		taken[p.name+".svg"] = true
		text, err := os.ReadFile(filepath.Join(docs, "pictures", p.name+".svg"))
		if err != nil || len(text) > most || !strings.Contains(string(text), "<title>"+escaped(p.title)+"</title>") {
			t.Errorf("%s.svg: %v, %d bytes, want at most %d and the title %q; make pictures takes it anew", p.name, err, len(text), most, p.title)
		}
	}
	entries, err := os.ReadDir(filepath.Join(docs, "pictures"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !taken[e.Name()] {
			t.Errorf("docs/pictures/%s is no picture that is taken", e.Name())
		}
	}
}

// TestDocumentsShowPictures: what documents show is there and says what it is.
func TestDocumentsShowPictures(t *testing.T) {
	for _, name := range []string{"../README.md", "console.md"} {
		path := filepath.Join(docs, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`!\[([^\]]*)\]\(([^)]*)\)`).FindAllSubmatch(text, -1)
		if len(found) < 2 {
			t.Errorf("%s shows %d pictures", path, len(found))
		}
		for _, m := range found {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), string(m[2]))); err != nil || len(m[1]) < 20 {
				t.Errorf("%s: the picture %s, called %q: %v", path, m[2], m[1], err)
			}
		}
	}
}
