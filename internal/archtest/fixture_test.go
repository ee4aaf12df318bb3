package archtest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"weft/internal/archtest"
)

// TestRulesSeeTheirFaults runs each rule on a small tree that breaks it. The
// file "want" in the archive lists the findings; files without a finding show
// what the rule permits.
func TestRulesSeeTheirFaults(t *testing.T) {
	for _, rule := range archtest.Rules {
		t.Run(rule.Name, func(t *testing.T) {
			tree, want := fixture(t, rule.Name)
			var got []string
			for _, f := range rule.Run(tree) {
				got = append(got, f.String())
			}
			if len(want) == 0 {
				t.Fatal("the fixture breaks nothing: the rule has not been seen to fail")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// fixture reads testdata/name.txtar. Three notations keep the archives from
// breaking the rules themselves: {/} is a slash at the root, {lines N} is N
// lines of comment, {exempt} is the mark of a long function.
func fixture(t *testing.T, name string) (tree *archtest.Tree, want []string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	notation := strings.NewReplacer("{/}", "/", "{lines 60}", strings.Repeat("//\n", 60),
		"{lines 400}", strings.Repeat("//\n", 400), "{exempt}", "//weft:long")
	var files []archtest.File
	for _, f := range archive.Files {
		text := notation.Replace(string(f.Data))
		if f.Name == "want" {
			want = strings.Split(strings.TrimSpace(text), "\n")
			continue
		}
		files = append(files, archtest.File{Path: f.Name, Data: []byte(text)})
	}
	tree, err = archtest.NewTree(files)
	if err != nil {
		t.Fatal(err)
	}
	return tree, want
}
