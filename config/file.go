package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"weft/keymap"
	"weft/tui"
	"weft/views"
)

// File is what an operator wrote. The zero File is the defaults.
type File struct {
	// Path is where it was read; Exists is false when there is no such file.
	Path   string
	Exists bool
	// Pane is what to open first, "" for the usual.
	Pane string
	// Stores have badges.
	Stores []Store

	found    state
	tree     map[string]any
	settings tui.Settings
	changes  []keymap.Change
}

// Store is how one store is marked.
type Store struct {
	// Name is the name of the data directory, or its path when there is a slash in
	// it.
	Name  string
	Badge views.Badge
}

// maxFile is the most a file may hold: it is written by hand.
const maxFile = 64 << 10

// Load reads the file at path. That there is none is no error. With an error the
// File is the defaults, and may be watched.
func Load(path string) (File, error) { return look(path).file(path) }

// state is what a file was found as.
type state struct {
	data []byte
	err  string // why it could not be read; [missing] when it is not there
}

const missing = "missing"

func (s state) same(o state) bool { return s.err == o.err && bytes.Equal(s.data, o.data) }

// look reads a file, well or not.
func look(path string) state {
	data, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state{err: missing}
	case err != nil:
		return state{err: err.Error()}
	}
	return state{data: data}
}

// file is what a state of the file at path means.
func (s state) file(path string) (f File, err error) {
	switch s.err {
	case "":
		f, err = Parse(path, s.data)
	case missing:
	default:
		err = &FileError{path, []Fault{{Problem: s.err}}}
	}
	f.Path, f.found = path, s
	return f, err
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return data, err
}

// Parse reads data as the content of the file at path, which errors name.
func Parse(path string, data []byte) (File, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := reader{file: File{Path: path, Exists: true}}
	var tree map[string]any
	var syntax *toml.DecodeError
	switch err := checkDepth(data, toml.Unmarshal, &tree); {
	case errors.As(err, &syntax):
		line, column := syntax.Position()
		return File{}, &FileError{path, []Fault{{line, column, syntax.Error()}}}
	case err != nil:
		return File{}, &FileError{path, []Fault{{Problem: err.Error()}}}
	}
	r.lines, r.file.tree = linesOf(data), tree
	r.root(tree)
	if len(r.faults) > 0 {
		return File{}, &FileError{path, r.faults}
	}
	return r.file, nil
}

// maxDepth bounds nested brackets, counted roughly: those in strings count too. A
// parser that recurses must not be led into tens of thousands.
const maxDepth = 1000

func checkDepth(data []byte, unmarshal func([]byte, any) error, into *map[string]any) error {
	depth := 0
	for i, b := range data {
		switch b {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxDepth {
			return fmt.Errorf("line %d: more than %d brackets are open", 1+bytes.Count(data[:i], []byte("\n")), maxDepth)
		}
	}
	return unmarshal(data, into)
}

// Settings are the settings for the store in dir.
func (f File) Settings(dir string) tui.Settings {
	s := f.settings
	full, err := filepath.Abs(dir)
	if err != nil {
		full = dir
	}
	for _, st := range f.Stores {
		if st.Name == full || st.Name == dir || s.Badge.Text == "" && st.Name == filepath.Base(full) {
			s.Badge = st.Badge
		}
	}
	return s
}
