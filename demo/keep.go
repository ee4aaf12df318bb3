package demo

import (
	"context"
	"fmt"
	"time"

	"weft/engine"
)

// Keep is the input of keep.
type Keep struct {
	Name string `json:"name"`
	// Days is how long the file is kept, 0 to 3,650.
	Days int `json:"days"`
}

// Kept is the result of keep.
type Kept struct {
	Name  string    `json:"name"`
	Until time.Time `json:"until"`
}

const keptName = "kept.txt"

func keep(work string) engine.Workflow[Keep, Kept] {
	d := folder(work, "keep")
	store := engine.Activity[string, engine.Void]{Name: "store", Do: d.store, Timeout: time.Minute}
	expire := engine.Activity[engine.Void, engine.Void]{Name: "expire", Do: d.expire, Timeout: time.Minute}
	do := func(ctx *engine.Context, in Keep) (Kept, error) {
		if err := inRange("days", in.Days, 0, 3650); err != nil {
			return Kept{}, err
		}
		if _, err := store.Run(ctx, in.Name); err != nil {
			return Kept{}, err
		}
		ctx.SetSummary("%s is kept for %d days", in.Name, in.Days)
		if err := ctx.Sleep(time.Duration(in.Days) * 24 * time.Hour); err != nil {
			return Kept{}, err
		}
		out := Kept{Name: in.Name, Until: ctx.Now().UTC()}
		_, err := expire.Run(ctx, engine.Void{})
		return out, err
	}
	return engine.Workflow[Keep, Kept]{Name: "keep", Version: version, Do: do, Example: Keep{Name: "april logs", Days: 30}}
}

func (d disk) store(ctx context.Context, name string) (engine.Void, error) {
	path, err := d.path(ctx, keptName)
	if err != nil {
		return engine.Void{}, err
	}
	return engine.Void{}, write(path, fmt.Appendf(nil, "%s\n", name))
}

func (d disk) expire(ctx context.Context, _ engine.Void) (engine.Void, error) {
	path, err := d.path(ctx, keptName)
	if err != nil {
		return engine.Void{}, err
	}
	return engine.Void{}, remove(path)
}
