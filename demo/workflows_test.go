package demo_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/demo"
	"weft/engine"
	"weft/flow"
)

func TestHashFilesHashesEachFileInAStep(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("hash-files", "h", `{"files": 200}`)
		var got demo.Hashed
		if err := l.result("h", &got); err != nil {
			l.Fatal(err)
		}
		sums := l.file("h", got.Sums)
		if got.Files != 200 || got.Digest != hexSum(sums) {
			l.Errorf("%+v with a file of %s", got, hexSum(sums))
		}
		var size int64
		for line := range strings.Lines(string(sums)) {
			sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			data := l.file("h", name)
			size += int64(len(data))
			if hexSum(data) != sum {
				l.Errorf("%s has %s, listed is %s", name, hexSum(data), sum)
			}
		}
		d := l.detail("h", flow.PartSteps)
		if size != got.Bytes || len(d.Steps) != 202 || d.Run.Summary != "200 of 200 files hashed" {
			l.Errorf("%d bytes, result says %d; %d steps; summary %q", size, got.Bytes, len(d.Steps), d.Run.Summary)
		}
	})
}

func TestFetchRetriesInSight(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("fetch", "f", `{"kib": 64, "breaks": 3}`)
		time.Sleep(time.Second)
		step := l.detail("f", flow.PartSteps).Steps[0]
		if step.State != flow.StepRetrying || step.Attempt != 2 || step.Error == nil || !errors.Is(step.Error, demo.ConnectionLost) {
			l.Errorf("after the first break: %+v, %v", step, step.Error)
		}
		var got demo.Fetched
		if err := l.result("f", &got); err != nil {
			l.Fatal(err)
		}
		data := l.file("f", got.Name)
		if got.Attempts != 4 || got.Bytes != 64<<10 || got.SHA256 != hexSum(data) || len(data) != got.Bytes {
			l.Errorf("%+v with a file of %d bytes, %s", got, len(data), hexSum(data))
		}
		if step := l.detail("f", flow.PartSteps).Steps[0]; step.Attempt != 4 || step.State != flow.StepDone {
			l.Errorf("at the end: %+v", step)
		}
	})
}

func TestImportFailsForGoodAtABrokenRow(t *testing.T) {
	inLab(t, func(l *lab) {
		began := time.Now()
		l.start("import", "broken", `{"rows": 40, "broken": 17}`)
		l.start("import", "whole", `{"rows": 3, "broken": 0}`)
		err := l.result("broken", &demo.Imported{})
		var ended *flow.EndedError
		if !errors.As(err, &ended) || ended.Status != flow.Failed || !errors.Is(err, demo.BrokenRow) {
			l.Errorf("%v", err)
		}
		steps := l.detail("broken", flow.PartSteps).Steps
		if last := steps[len(steps)-1]; last.Attempt != 1 || last.State != flow.StepFailed {
			l.Errorf("%+v", last)
		}
		var got demo.Imported
		if err := l.result("whole", &got); err != nil || got != (demo.Imported{Rows: 3, Cents: 137 + 274 + 411}) {
			l.Errorf("%+v, %v", got, err)
		}
		if took := time.Since(began); took > time.Second {
			l.Errorf("took %v: a permanent failure was tried again", took)
		}
	})
}

func TestReleaseWaitsForApproval(t *testing.T) {
	tests := map[string]struct {
		input   string
		approve time.Duration // when; 0 is never
		want    demo.Released
	}{
		"for ever":              {`{"version": "1", "withinSeconds": 0}`, 10 * time.Hour, demo.Released{Published: true, Name: "released.txt", By: "ana"}},
		"approved in time":      {`{"version": "1", "withinSeconds": 600}`, 599 * time.Second, demo.Released{Published: true, Name: "released.txt", By: "ana"}},
		"not approved in time":  {`{"version": "1", "withinSeconds": 600}`, 0, demo.Released{Name: "staged.txt"}},
		"approved while parked": {`{"version": "1", "withinSeconds": 600}`, 5 * time.Second, demo.Released{Published: true, Name: "released.txt", By: "ana"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				l.start("release", "r", tc.input)
				if tc.approve > 0 {
					time.Sleep(tc.approve)
					if err := demo.Approved.Send(l.Context(), l.eng, "r", demo.Approval{By: "ana", Note: "fine"}); err != nil {
						l.Fatal(err)
					}
				}
				var got demo.Released
				if err := l.result("r", &got); err != nil || got != tc.want {
					l.Errorf("%+v, %v; want %+v", got, err, tc.want)
				}
				l.noFile("r", "staged.txt")
				if !tc.want.Published {
					l.noFile("r", "released.txt")
				} else if text := string(l.file("r", got.Name)); text != "release 1\napproved by ana: fine\n" {
					l.Errorf("released %q", text)
				}
			})
		})
	}
}

func TestNotesOfAReleaseArePublished(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("release", "r", `{"version": "1"}`)
		time.Sleep(time.Minute)
		for i, text := range []string{"hold on", "go on"} {
			n, err := demo.AddNote.Call(l.Context(), l.eng, "r", demo.Note{By: "ana", Text: text})
			if err != nil || n != i+1 {
				l.Errorf("note %d: %d, %v", i, n, err)
			}
			l.crash()
		}
		if _, err := demo.AddNote.Call(l.Context(), l.eng, "r", demo.Note{By: "ana"}); !errors.Is(err, demo.BadInput) {
			l.Errorf("a note without text: %v", err)
		}
		if notes, err := demo.Notes.Ask(l.Context(), l.eng, "r", engine.Void{}); err != nil || len(notes) != 2 || notes[1].Text != "go on" {
			l.Errorf("%+v, %v", notes, err)
		}
		if err := demo.Approved.Send(l.Context(), l.eng, "r", demo.Approval{By: "ben", Note: "fine"}); err != nil {
			l.Fatal(err)
		}
		var got demo.Released
		if err := l.result("r", &got); err != nil {
			l.Fatal(err)
		}
		if text := string(l.file("r", got.Name)); text != "release 1\napproved by ben: fine\nana: hold on\nana: go on\n" {
			l.Errorf("released %q", text)
		}
		if notes, err := demo.Notes.Ask(l.Context(), l.eng, "r", engine.Void{}); err != nil || len(notes) != 2 {
			l.Errorf("after the end: %+v, %v", notes, err)
		}
	})
}

func TestKeepSleepsForDays(t *testing.T) {
	inLab(t, func(l *lab) {
		began := time.Now().UTC()
		l.start("keep", "k", `{"name": "april logs", "days": 3}`)
		time.Sleep(2 * 24 * time.Hour)
		if text := string(l.file("k", "kept.txt")); text != "april logs\n" {
			l.Errorf("kept %q", text)
		}
		l.crash()
		var got demo.Kept
		if err := l.result("k", &got); err != nil {
			l.Fatal(err)
		}
		if want := began.Add(3 * 24 * time.Hour); got.Until.Before(want) || got.Until.After(want.Add(time.Second)) {
			l.Errorf("kept until %v, want %v", got.Until, want)
		}
		l.noFile("k", "kept.txt")
	})
}

func TestPackResumesFromItsHeartbeat(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("pack", "p", `{"files": 100, "pauseMillis": 200}`)
		time.Sleep(10*time.Second + 50*time.Millisecond)
		l.crash()
		var got demo.Packed
		if err := l.result("p", &got); err != nil {
			l.Fatal(err)
		}
		// 51 files were packed, and the heartbeat is durable once a second.
		if got.Files != 100 || got.Resumed < 45 || got.Resumed > 51 {
			l.Errorf("%+v", got)
		}
		if size := int64(len(l.file("p", got.Name))); size != got.Bytes {
			l.Errorf("%d bytes, result says %d", size, got.Bytes)
		}
		names := l.listing("p", got.Name)
		if len(names) != 100 || names[0] != "sample-0001.dat" || names[99] != "sample-0100.dat" {
			l.Errorf("the archive has %d files: %v", len(names), names)
		}
	})
}

func TestInboxTakesAFileThatComesLate(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("inbox", "i", `{"name": "letter.txt"}`)
		time.Sleep(time.Hour)
		step := l.detail("i", flow.PartSteps).Steps[0]
		if step.State != flow.StepRetrying || step.Attempt < 100 || !errors.Is(step.Error, demo.NotThere) {
			l.Errorf("after an hour: %+v, %v", step, step.Error)
		}
		if err := os.WriteFile(filepath.Join(l.work, "inbox", "letter.txt"), []byte("dear ana"), 0o666); err != nil {
			l.Fatal(err)
		}
		var got demo.Received
		want := demo.Received{Name: "letter.txt", Bytes: 8, SHA256: hexSum([]byte("dear ana"))}
		if err := l.result("i", &got); err != nil || got != want {
			l.Errorf("%+v, %v; want %+v", got, err, want)
		}
		if text := string(l.file("i", "letter.txt")); text != "dear ana" {
			l.Errorf("took %q", text)
		}
	})
}

func TestUsageMovesInRounds(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("usage", "u", `{"rounds": 30, "everyMillis": 2000}`)
		time.Sleep(21 * time.Second)
		if s := l.detail("u", flow.PartSummary).Run.Summary; !strings.HasPrefix(s, "round 11 of 30: ") {
			l.Errorf("summary %q", s)
		}
		l.crash()
		var got demo.Used
		if err := l.result("u", &got); err != nil || got.Rounds != 30 || got.Last.Files != 1 {
			l.Errorf("%+v, %v", got, err)
		}
		lines := strings.SplitAfter(string(l.file("u", got.Log)), "\n")
		for i, line := range lines[:len(lines)-1] {
			if want := fmt.Sprintf("%6d ", i+1); !strings.HasPrefix(line, want) {
				l.Errorf("line %d is %q", i+1, line)
			}
		}
		if len(lines) != 31 {
			l.Errorf("%d lines", len(lines)-1)
		}
	})
}

func TestWorkflowsRefuseWhatWouldFillTheDisk(t *testing.T) {
	tests := map[string][2]string{
		"too many files":       {"hash-files", `{"files": 2001}`},
		"no files":             {"hash-files", `{"files": 0}`},
		"a fetch too large":    {"fetch", `{"kib": 65537, "breaks": 0}`},
		"breaks without end":   {"fetch", `{"kib": 1, "breaks": 6}`},
		"a row that is not":    {"import", `{"rows": 3, "broken": 4}`},
		"a limit in the past":  {"release", `{"version": "1", "withinSeconds": -1}`},
		"kept for ever":        {"keep", `{"name": "x", "days": 3651}`},
		"a pause too long":     {"pack", `{"files": 1, "pauseMillis": 10001}`},
		"a way out of the box": {"inbox", `{"name": "../letter.txt"}`},
		"signed never":         {"contract", `{"title": "x", "days": 0}`},
		"a trip too slow":      {"trip", `{"to": "Rome", "full": "", "pauseSeconds": 601}`},
		"rounds without pause": {"usage", `{"rounds": 1, "everyMillis": 0}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				l.start(tc[0], "x", tc[1])
				if err := l.result("x", &struct{}{}); !errors.Is(err, demo.BadInput) {
					l.Errorf("%v", err)
				}
				if entries, err := os.ReadDir(l.work); len(entries) > 0 {
					l.Errorf("left %v, %v", entries, err)
				}
			})
		})
	}
}

// TestExamplesAreInputs starts each type with the input that a console offers.
func TestExamplesAreInputs(t *testing.T) {
	inLab(t, func(l *lab) {
		page, err := l.eng.Operator().Page(l.Context(), flow.Query{Of: flow.ListTypes})
		if err != nil || len(page.Types) != len(demo.Workflows("")) {
			l.Fatalf("%d types, %v", len(page.Types), err)
		}
		for _, typ := range page.Types {
			l.start(typ.Name, typ.Name, string(typ.Example))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		for _, typ := range page.Types {
			d := l.detail(typ.Name, flow.PartSummary)
			if f := d.Run.Failure; f != nil && errors.Is(f, demo.BadInput) || d.Run.Status == flow.Suspended {
				l.Errorf("%s with %s is %s: %v %s", typ.Name, typ.Example, d.Run.Status, f, d.Run.Reason)
			}
		}
	})
}

func TestDefinitionsNameTheirSignals(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("release", "r", `{"version": "1", "withinSeconds": 0}`)
		send := func(payload string) error {
			_, err := l.eng.Operator().Do(l.Context(), flow.Act{Deed: flow.SendSignal{Target: flow.Ref{ID: "r"},
				Name: "approved", Payload: flow.Payload(payload)}})
			return err
		}
		if err := send(`{"by": "ana", "mood": "good"}`); !errors.Is(err, flow.ErrBadInput) {
			l.Errorf("an unknown field is accepted: %v", err)
		}
		if err := send(`{"by": "ana", "note": ""}`); err != nil {
			l.Error(err)
		}
		var got demo.Released
		if err := l.result("r", &got); err != nil || got.By != "ana" {
			l.Errorf("%+v, %v", got, err)
		}
	})
}

func hexSum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
