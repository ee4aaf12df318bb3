package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Tree is a repository: all its files, and the syntax of its Go files.
type Tree struct {
	Files  []File
	Source []Source
	Fset   *token.FileSet
}

// File is one file as text. Path is relative to the root, with slashes.
type File struct {
	Path string
	Data []byte
}

// Source is one Go file outside testdata.
type Source struct {
	File
	Syntax *ast.File
}

// Dir is the folder of the file, "." for the root.
func (f File) Dir() string { return path.Dir(f.Path) }

// Test reports whether the file is compiled into tests only.
func (f File) Test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Lines counts lines; a last one without newline counts.
func (f File) Lines() int {
	n := bytes.Count(f.Data, []byte("\n"))
	if len(f.Data) > 0 && f.Data[len(f.Data)-1] != '\n' {
		n++
	}
	return n
}

// untracked are folders that hold what programs left behind, as .gitignore
// lists them. In a linked worktree .git is a file.
var untracked = []string{".git", "bin", "weft-data"}

// Load reads the repository at root.
func Load(root string) (*Tree, error) {
	var files []File
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(untracked, d.Name()):
			return fs.SkipDir
		case d.Name() == ".git":
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		files = append(files, File{Path: filepath.ToSlash(rel), Data: data})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read repository %s: %w", root, err)
	}
	return NewTree(files)
}

// NewTree parses the Go files among files.
func NewTree(files []File) (*Tree, error) {
	t := &Tree{Files: files, Fset: token.NewFileSet()}
	for _, f := range files {
		if path.Ext(f.Path) != ".go" || inTestdata(f.Path) {
			continue
		}
		syntax, err := parser.ParseFile(t.Fset, f.Path, f.Data, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse: %w", err)
		}
		t.Source = append(t.Source, Source{File: f, Syntax: syntax})
	}
	return t, nil
}

func inTestdata(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
}

// Line is the line of pos in its file.
func (t *Tree) Line(pos token.Pos) int { return t.Fset.Position(pos).Line }

// Packages groups the Go files by folder.
func (t *Tree) Packages() map[string][]Source {
	byDir := map[string][]Source{}
	for _, s := range t.Source {
		byDir[s.Dir()] = append(byDir[s.Dir()], s)
	}
	return byDir
}

// text is the content of the file at name.
func (t *Tree) text(name string) (string, bool) {
	i := slices.IndexFunc(t.Files, func(f File) bool { return f.Path == name })
	if i < 0 {
		return "", false
	}
	return string(t.Files[i].Data), true
}
