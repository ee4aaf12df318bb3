package demo

import (
	"context"
	"fmt"
	"time"

	"weft/engine"
)

// Trip is the input of trip.
type Trip struct {
	To string `json:"to"`
	// Full names the part that cannot be booked: flight, hotel or car; "" is none.
	Full string `json:"full"`
	// PauseSeconds is how long each booking waits before the next, 0 to 600.
	PauseSeconds int `json:"pauseSeconds"`
}

// Booked is the result of trip.
type Booked struct {
	To    string   `json:"to"`
	Names []string `json:"names"`
}

// Confirmed lets a trip that is booked go ahead.
var Confirmed = engine.Signal[engine.Void]{Name: "confirmed"}

// booking is what one part of a trip is asked for.
type booking struct {
	Part string `json:"part"`
	To   string `json:"to"`
	Full bool   `json:"full"`
}

// part is one part of a trip: it makes a file, and undoing it removes the file.
func (d disk) part(name string) engine.Reversible[booking, string] {
	return engine.Reversible[booking, string]{
		Do: engine.Activity[booking, string]{Name: "book-" + name, Do: d.book, Timeout: time.Minute},
		By: engine.Activity[engine.Undo[booking, string], engine.Void]{Name: "return-" + name, Do: d.giveBack, Timeout: time.Minute},
	}
}

// trip books flight, hotel and car, and waits for somebody to confirm. If a part
// is full, what was booked is given back, the newest first; if the run is
// cancelled while it waits, that is owed.
func trip(work string) engine.Workflow[Trip, Booked] {
	d := folder(work, "trip")
	names := []string{"flight", "hotel", "car"}
	w := engine.Workflow[Trip, Booked]{Name: "trip", Version: version, Signals: []engine.Message{Confirmed},
		Example: Trip{To: "Rome", Full: "car", PauseSeconds: 5}}
	for _, name := range names {
		w.Compensations = append(w.Compensations, d.part(name).By)
	}
	w.Do = func(ctx *engine.Context, in Trip) (Booked, error) {
		if err := inRange("pauseSeconds", in.PauseSeconds, 0, 600); err != nil {
			return Booked{}, err
		}
		return engine.Saga(ctx, func(ctx *engine.Context) (Booked, error) {
			out := Booked{To: in.To}
			for _, name := range names {
				file, err := d.part(name).Run(ctx, booking{name, in.To, name == in.Full})
				if err != nil {
					ctx.SetSummary("no %s in %s, the rest is given back", name, in.To)
					return out, err
				}
				out.Names = append(out.Names, file)
				ctx.SetSummary("%d of %d parts booked", len(out.Names), len(names))
				if err := ctx.Sleep(time.Duration(in.PauseSeconds) * time.Second); err != nil {
					return out, err
				}
			}
			ctx.SetSummary("%s is booked, needs to be confirmed", in.To)
			_, err := Confirmed.Wait(ctx)
			return out, err
		})
	}
	return w
}

func (d disk) book(ctx context.Context, b booking) (string, error) {
	if b.Full {
		return "", engine.Permanent(engine.Fail(FullyBooked, "%s in %s: fully booked", b.Part, b.To))
	}
	name := b.Part + ".txt"
	path, err := d.path(ctx, name)
	if err != nil {
		return "", err
	}
	return name, write(path, fmt.Appendf(nil, "%s to %s\n", b.Part, b.To))
}

// giveBack removes the file of a booking, which an earlier attempt may have
// done.
func (d disk) giveBack(ctx context.Context, u engine.Undo[booking, string]) (engine.Void, error) {
	path, err := d.path(ctx, u.Output)
	if err != nil {
		return engine.Void{}, err
	}
	return engine.Void{}, remove(path)
}
