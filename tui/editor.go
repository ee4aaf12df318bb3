package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/views"
)

// maxEdited bounds what is taken from an editor: a form shows no more with ease.
const maxEdited = 1 << 20

// editorState is the operator's editor, while it has the terminal.
type editorState struct {
	open  bool
	ended time.Time
}

// took reports whether ctrl+c was meant for the editor: the terminal sends it to
// all that run on it.
func (s editorState) took(now time.Time) bool {
	return s.open || now.Sub(s.ended) < armsAfter
}

// edit gives the terminal to the operator's editor, for a text.
func (m *model) edit(text string) {
	if strings.TrimSpace(m.opts.Editor) == "" {
		m.say(views.Warn, "no editor is named: set VISUAL or EDITOR before the start")
		return
	}
	m.editor.open = true
	e := &editing{command: m.opts.Editor, text: text}
	m.do(terminalEffect{tea.Exec(e, func(err error) tea.Msg { return editedMsg{text, e.text, err} })})
}

// editedMsg is a text as the editor left it.
type editedMsg struct {
	before, after string
	err           error
}

// onEdited puts the text into its form. Nothing that was typed there is lost when
// the editor fails.
func (m *model) onEdited(msg editedMsg) {
	m.editor = editorState{ended: m.opts.Now()}
	f, form := m.modal.top.(views.Form)
	switch {
	case !form:
		m.say(views.Warn, "the form is gone: what the editor wrote is dropped")
	case msg.err != nil:
		m.modal.top = f.Failed(fmt.Errorf("the text is kept as it was: %w", msg.err))
	case msg.after == msg.before:
		m.say(views.Plain, "the editor left it as it was")
	default:
		m.modal.top = f.Edited(msg.after)
		m.say(views.Plain, "taken from the editor; nothing is sent yet")
	}
}

// editing is a text in an editor, on a file of its own that nobody else may read.
type editing struct {
	command, text string
	in            io.Reader
	out           io.Writer
}

// Run implements [tea.ExecCommand].
func (e *editing) Run() error {
	dir, err := os.MkdirTemp("", "weft-")
	if err != nil {
		return fmt.Errorf("make a file for the editor: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "input.json")
	if err := os.WriteFile(path, []byte(e.text+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the file for the editor: %w", err)
	}
	cmd := shell(e.command, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.in, e.out, e.out // standard error is a file
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %s failed: %w", e.command, err)
	}
	return e.read(path)
}

// read takes the text back, without the line end that editors put at the end.
func (e *editing) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read what the editor wrote: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	switch {
	case err != nil:
		return fmt.Errorf("read what the editor wrote: %w", err)
	case len(data) > maxEdited:
		return fmt.Errorf("read what the editor wrote: it is longer than %d bytes", maxEdited)
	case strings.ContainsRune(string(data), 0):
		return errors.New("read what the editor wrote: it is no text")
	}
	text := strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	e.text = text
	return nil
}

// SetStdin implements [tea.ExecCommand].
func (e *editing) SetStdin(r io.Reader) { e.in = r }

// SetStdout implements [tea.ExecCommand].
func (e *editing) SetStdout(w io.Writer) { e.out = w }

// SetStderr implements [tea.ExecCommand].
func (e *editing) SetStderr(io.Writer) {}
