package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"weft/engine"
)

// Release is the input of release.
type Release struct {
	Version string `json:"version"`
	// WithinSeconds is how long the approval may take; 0 is for ever.
	WithinSeconds int `json:"withinSeconds"`
}

// Released is the result of release.
type Released struct {
	// Published is false when nobody approved in time.
	Published bool   `json:"published"`
	Name      string `json:"name"`
	By        string `json:"by,omitempty"`
}

// Approval is the payload of the signal approved.
type Approval struct {
	By   string `json:"by"`
	Note string `json:"note"`
}

// Approved lets a release go on.
var Approved = engine.Signal[Approval]{Name: "approved"}

// Note is something to be said about a release before it goes out.
type Note struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

// AddNote adds a note to a release that waits for its approval. Its reply is how
// many there are.
var AddNote = engine.Update[Note, int]{Name: "note", Validate: func(n Note) error {
	if n.Text == "" || len(n.Text) > maxNote {
		return engine.Fail(BadInput, "text: %d bytes; use 1 to %d", len(n.Text), maxNote)
	}
	return nil
}}

// Notes are what has been said of a release so far.
var Notes = engine.Query[engine.Void, []Note]{Name: "notes"}

const (
	maxNote  = 1000
	maxNotes = 20
)

// published is what publish is asked to do.
type published struct {
	Version  string   `json:"version"`
	Approval Approval `json:"approval"`
	Notes    []Note   `json:"notes,omitempty"`
}

const (
	stagedName   = "staged.txt"
	releasedName = "released.txt"
)

func release(work string) engine.Workflow[Release, Released] {
	d := folder(work, "release")
	stage := engine.Activity[string, engine.Void]{Name: "stage", Do: d.stage, Timeout: time.Minute}
	publish := engine.Activity[published, engine.Void]{Name: "publish", Do: d.publish, Timeout: time.Minute}
	withdraw := engine.Activity[engine.Void, engine.Void]{Name: "withdraw", Do: d.withdraw, Timeout: time.Minute}
	do := func(ctx *engine.Context, in Release) (Released, error) {
		if err := inRange("withinSeconds", in.WithinSeconds, 0, 365*24*3600); err != nil {
			return Released{}, err
		}
		notes := takeNotes(ctx)
		if _, err := stage.Run(ctx, in.Version); err != nil {
			return Released{}, err
		}
		ctx.SetSummary("%s is staged, needs approval", in.Version)
		approval, approved, err := approvalOf(ctx, in)
		if err != nil {
			return Released{}, err
		}
		if !approved {
			ctx.SetSummary("%s was not approved in time", in.Version)
			_, err := withdraw.Run(ctx, engine.Void{})
			return Released{Name: stagedName}, err
		}
		ctx.SetSummary("%s approved by %s", in.Version, approval.By)
		_, err = publish.Run(ctx, published{in.Version, approval, *notes})
		return Released{Published: true, Name: releasedName, By: approval.By}, err
	}
	return engine.Workflow[Release, Released]{Name: "release", Version: version, Do: do, Signals: []engine.Message{Approved},
		Updates: []engine.AnyUpdate{AddNote}, Queries: []engine.AnyQuery{Notes},
		Example: Release{Version: "1.6", WithinSeconds: 3600}}
}

// takeNotes collects notes from here on.
func takeNotes(ctx *engine.Context) *[]Note {
	var notes []Note
	AddNote.HandleWith(ctx, func(_ *engine.Context, n Note) (int, error) {
		notes = append(notes, n)
		return len(notes), nil
	}, engine.HandleOptions[Note]{Validate: func(Note) error {
		if len(notes) == maxNotes {
			return engine.Fail(BadInput, "there are %d notes already", maxNotes)
		}
		return nil
	}})
	Notes.Answer(ctx, func(engine.Void) ([]Note, error) { return append([]Note{}, notes...), nil })
	return &notes
}

func approvalOf(ctx *engine.Context, in Release) (Approval, bool, error) {
	if in.WithinSeconds > 0 {
		return Approved.WaitFor(ctx, time.Duration(in.WithinSeconds)*time.Second)
	}
	a, err := Approved.Wait(ctx)
	return a, err == nil, err
}

func (d disk) stage(ctx context.Context, version string) (engine.Void, error) {
	path, err := d.path(ctx, stagedName)
	if err != nil {
		return engine.Void{}, err
	}
	return engine.Void{}, write(path, fmt.Appendf(nil, "release %s\n", version))
}

// publish writes the released file before it removes the staged one. Whichever
// of the two an earlier attempt got to, the end is the same.
func (d disk) publish(ctx context.Context, in published) (engine.Void, error) {
	path, err := d.path(ctx, releasedName)
	if err != nil {
		return engine.Void{}, err
	}
	text := fmt.Appendf(nil, "release %s\napproved by %s: %s\n", in.Version, in.Approval.By, in.Approval.Note)
	for _, n := range in.Notes {
		text = fmt.Appendf(text, "%s: %s\n", n.By, n.Text)
	}
	if err := write(path, text); err != nil {
		return engine.Void{}, err
	}
	return engine.Void{}, remove(filepath.Join(filepath.Dir(path), stagedName))
}

func (d disk) withdraw(ctx context.Context, _ engine.Void) (engine.Void, error) {
	path, err := d.path(ctx, stagedName)
	if err != nil {
		return engine.Void{}, err
	}
	return engine.Void{}, remove(path)
}

// remove removes a file that an earlier attempt may have removed.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}
