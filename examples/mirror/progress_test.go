package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"weft/engine"
	"weft/store/memory"
)

func TestProgressIsToldAlsoAfterTheEnd(t *testing.T) {
	src, dst := t.TempDir(), t.TempDir()
	for i := range 25 {
		if err := os.WriteFile(filepath.Join(src, fmt.Sprint(i)), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorkflow(nil)
	eng, err := engine.Open(t.Context(), memory.New(memory.Options{}), engine.Options{Workflows: []engine.Definition{w}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Start(t.Context(), eng, job{Src: src, Dst: dst, Batch: 10}, engine.StartOptions{ID: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Result(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := howFar.Ask(t.Context(), eng, "m", engine.Void{})
	if want := (progress{Files: 25, OfFiles: 25, Bytes: 100, Surveyed: true}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if err := eng.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
