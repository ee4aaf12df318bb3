package demo_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"weft/demo"
	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

// lab is the demo on a store in memory and a directory on disk, in a bubble.
type lab struct {
	*testing.T
	work  string
	store *memory.Store
	eng   *engine.Engine
}

// inLab runs f in a bubble. The directory is made outside of it: its removal
// must not wait for the bubble's clock.
func inLab(t *testing.T, f func(*lab)) {
	work := t.TempDir()
	t.Cleanup(func() { sweepAway(work); sweepAway(filepath.Join(work, "elsewhere")) })
	synctest.Test(t, func(t *testing.T) {
		l := &lab{T: t, work: work, store: memory.New(memory.Options{Exclusive: true})}
		l.open()
		f(l)
		l.close()
		if err := l.store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func (l *lab) open() {
	l.Helper()
	var err error
	l.eng, err = engine.Open(l.Context(), l.store, engine.Options{Workflows: demo.Workflows(l.work),
		ClockEvery: time.Minute}) // the clock jumps in no test
	if err != nil {
		l.Fatal(err)
	}
	synctest.Wait() // what is recovered is in memory again
}

func (l *lab) close() {
	l.Helper()
	if err := l.eng.Close(l.Context()); err != nil {
		l.Error(err)
	}
}

// crash ends the process, so to speak, and begins a new one on what it left.
func (l *lab) crash() {
	l.Helper()
	next := l.store.Crash()
	gone, cancel := context.WithCancel(l.Context())
	cancel()
	l.eng.Close(gone) // what it says about a store that is gone is no matter here
	l.store = next
	l.open()
}

// start starts a run by JSON, as a console does.
func (l *lab) start(typ, id, input string) {
	l.Helper()
	_, err := l.eng.Operator().Do(l.Context(), flow.Act{Deed: flow.Start{Type: typ, ID: flow.WorkflowID(id),
		Input: flow.Payload(input)}})
	if err != nil {
		l.Fatal(err)
	}
}

func (l *lab) detail(id string, part flow.Part) flow.Detail {
	l.Helper()
	d, err := l.eng.Operator().Detail(l.Context(), flow.Ref{ID: flow.WorkflowID(id)}, part)
	if err != nil {
		l.Fatal(err)
	}
	return d
}

// result waits for the end of a run and reads what it returned into out.
func (l *lab) result(id string, out any) error {
	l.Helper()
	run, err := engine.Handle[json.RawMessage](l.eng, flow.WorkflowID(id))
	if err != nil {
		l.Fatal(err)
	}
	limited, cancel := context.WithTimeout(l.Context(), 24*365*time.Hour)
	defer cancel()
	raw, err := run.Result(limited)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		l.Fatal(err)
	}
	return nil
}

// file reads a file of a run.
func (l *lab) file(id, name string) []byte {
	l.Helper()
	d := l.detail(id, flow.PartSummary)
	data, err := os.ReadFile(filepath.Join(l.work, d.Run.Type, string(d.Run.Ref.Run), name))
	if err != nil {
		l.Fatal(err)
	}
	return data
}

// noFile complains when a run still has a file.
func (l *lab) noFile(id, name string) {
	l.Helper()
	d := l.detail(id, flow.PartSummary)
	path := filepath.Join(l.work, d.Run.Type, string(d.Run.Ref.Run), name)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		l.Errorf("%s is there: %v", path, err)
	}
}

// listing is the names in an archive of a run.
func (l *lab) listing(id, name string) []string {
	l.Helper()
	z, err := gzip.NewReader(bytes.NewReader(l.file(id, name)))
	if err != nil {
		l.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			l.Fatal(err)
		}
		names = append(names, h.Name)
	}
}
