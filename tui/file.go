package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

// content is what a file is made of. It is made where the file is written, as
// reading may take a while.
type content interface {
	make(ctx context.Context, c Console) (map[string][]byte, error)
}

// fileState is the file that is asked for or written.
type fileState struct {
	what content
	n    uint64
	busy bool
}

// askFile asks for the name of a file and writes it.
func (m *model) askFile(v views.FileName, what content) {
	m.file.what = what
	m.openModal(v)
}

// writeFile writes what was asked for last under the name given.
func (m *model) writeFile(in views.WriteFile) {
	if m.file.busy {
		m.say(views.Warn, "a file is being written: wait for it")
		return
	}
	m.file.n++
	m.file.busy = true
	m.say(views.Plain, "writing "+in.Path+" ..")
	m.do(putFile{m.file.n, in.Path, in.Over, m.file.what, m.instant()})
}

type putFile struct {
	n    uint64
	path string
	over bool
	what content
	now  flow.Instant
}

type filedMsg struct {
	putFile
	there fs.FileInfo // in the way
	bytes int64
	names []string
	err   error
}

func (e putFile) run(ctx context.Context, c Console) tea.Msg {
	ctx, cancel := context.WithTimeout(ctx, 10*callLimit)
	defer cancel()
	msg := filedMsg{putFile: e}
	parts, err := e.what.make(ctx, c)
	if err != nil {
		msg.err = err
		return msg
	}
	path, err := homed(e.path)
	if err != nil {
		msg.err = err
		return msg
	}
	for ending := range parts {
		if info, err := os.Lstat(path + ending); err == nil && !e.over {
			msg.there = info
			return msg
		}
	}
	for ending, text := range parts {
		if err := put(path+ending, text, e.over); err != nil {
			msg.err = err
			return msg
		}
		msg.bytes += int64(len(text))
		msg.names = append(msg.names, path+ending)
	}
	return msg
}

// homed is a path with "~/" written out.
func homed(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return filepath.Join(home, rest), nil
}

// put writes a file whole or not at all. What it holds may be private.
func put(path string, text []byte, over bool) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %s: is no ordinary file", path)
	}
	name, err := fill(path, text, over)
	if err == nil && over {
		err = os.Rename(name, path)
	}
	if err != nil {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			err = at.Err // the path is named anyway
		}
		err = fmt.Errorf("write %s: %w", path, err)
		if name != "" {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}

// fill writes a new file: one beside path when that is to be replaced, else path
// itself, which fails when it is there. The name is "" when none was made.
func fill(path string, text []byte, over bool) (name string, err error) {
	var f *os.File
	if over {
		f, err = os.CreateTemp(filepath.Dir(path), ".weft-*")
	} else {
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return f.Name(), errors.Join(err, f.Sync(), f.Close())
}

// onFiled closes the dialog, or says in it why the file was not written.
func (m *model) onFiled(msg filedMsg) {
	if msg.n != m.file.n {
		return
	}
	m.file.busy = false
	v, asking := m.modal.top.(views.FileName)
	switch {
	case msg.there != nil && asking:
		m.modal.top = v.Exists(msg.path, about(msg.there, m.opts.Now()))
		m.modal.rearm(m.opts.Now())
		m.status = views.Status{}
	case msg.there != nil:
		m.say(views.Warn, fmt.Sprintf("nothing was written: %s exists already, %s", msg.path, about(msg.there, m.opts.Now())))
	case msg.err != nil && asking:
		m.modal.top = v.Failed(msg.err.Error())
		m.status = views.Status{}
	case msg.err != nil:
		m.say(views.Bad, msg.err.Error())
	default:
		if asking {
			m.closeModal()
		}
		m.say(views.Good, fmt.Sprintf("OK wrote %s, %s", strings.Join(msg.names, " and "), views.Size(msg.bytes)))
	}
}

// about is what a file in the way is.
func about(f fs.FileInfo, now time.Time) string {
	if f.IsDir() {
		return "a directory"
	}
	return views.Size(f.Size()) + ", changed " + views.Age(now.Sub(f.ModTime())) + " ago"
}
