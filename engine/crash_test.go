package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// drama is a set of programs, each one run, and the signals they take.
type drama struct {
	player
	*stage
	programs []program
	acks     sync.Mutex
	started  map[flow.WorkflowID]flow.RunID
	sent     map[string]bool
}

func newDrama(r *rig, programs []program) *drama {
	d := &drama{player: player{rig: r}, stage: newStage(), programs: programs,
		started: map[flow.WorkflowID]flow.RunID{}, sent: map[string]bool{}}
	d.unreal = d.late.Load
	return d
}

// noteStart holds an acknowledged start against an earlier one.
func (d *drama) noteStart(id flow.WorkflowID, run flow.RunID) {
	d.acks.Lock()
	defer d.acks.Unlock()
	if old, known := d.started[id]; known && old != run {
		d.Errorf("%s was started as %s and is now %s: an acknowledged start is lost", id, old, run)
	}
	if !d.late.Load() {
		d.started[id] = run
	}
}

// wasSent reports whether a signal was acknowledged; it must not be lost, so it
// is not sent again.
func (d *drama) wasSent(what string) bool {
	d.acks.Lock()
	defer d.acks.Unlock()
	return d.sent[what]
}

func (d *drama) noteSent(what string) {
	d.acks.Lock()
	defer d.acks.Unlock()
	if !d.late.Load() {
		d.sent[what] = true
	}
}

func (d *drama) id(i int) flow.WorkflowID { return flow.WorkflowID(fmt.Sprintf("run-%d", i)) }

// workflow runs the program whose number is the input.
func (d *drama) workflow() engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: "drama", Version: "1",
		Do: func(ctx *engine.Context, i int) (string, error) {
			return d.stage.workflow(d.programs[i]).Do(ctx, i)
		}}
}

// act plays one tenure: it starts what is not there, sends what was not sent,
// and waits for every result. It answers whether all came; otherwise the
// process has died meanwhile.
func (d *drama) act(rng *rand.Rand) bool {
	d.Helper()
	if _, err := d.tryOpen(d.workflow()); err != nil {
		return false
	}
	if d.opened != nil {
		d.opened(d.eng)
	}
	var others sync.WaitGroup
	defer others.Wait()
	for i := range d.programs {
		run, err := d.workflow().Start(context.Background(), d.eng, i,
			engine.StartOptions{ID: d.id(i), IdempotencyKey: string(d.id(i))})
		if err != nil {
			return d.died("start", err)
		}
		d.noteStart(d.id(i), run.Ref().Run)
		pauses := []time.Duration{time.Duration(rng.IntN(3000)) * time.Millisecond, time.Duration(rng.IntN(90)) * time.Second}
		others.Go(func() { d.send(i, pauses) })
	}
	for i, p := range d.programs {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Hour)
		run, err := engine.Handle[string](d.eng, d.id(i))
		var got string
		if err == nil {
			got, err = run.Result(ctx)
		}
		cancel()
		if err != nil {
			return d.died(fmt.Sprintf("result of run %d: %v", i, p), err)
		}
		if want := p.result(); got != want {
			d.Errorf("run %d: got  %q\nwant %q", i, got, want)
		}
	}
	return true
}

// died takes an error for the end of the process, if it is that.
func (d *drama) died(what string, err error) bool {
	d.Helper()
	if d.eng.Err() == nil && !d.late.Load() {
		d.Errorf("%s: %v", what, err)
		d.FailNow()
	}
	return false
}

// send sends each signal of program i in turn, as long as the process lives.
func (d *drama) send(i int, pauses []time.Duration) {
	eng, needs := d.eng, d.programs[i].needs()
	for k, name := range []string{"x", "y"} {
		for n := range needs[name] {
			time.Sleep(pauses[(k+n)%len(pauses)])
			text := fmt.Sprintf("%s#%d", name, n+1)
			what := fmt.Sprintf("%s to %d", text, i)
			if d.wasSent(what) {
				continue
			}
			err := engine.Signal[string]{Name: name}.SendWith(context.Background(), eng, d.id(i), text,
				engine.SendOptions{SignalID: text})
			if err == nil {
				d.noteSent(what)
			}
			if err != nil && eng.Err() == nil && !d.late.Load() && !errors.Is(err, flow.ErrFinished) {
				d.Errorf("signal %s to run %d: %v", text, i, err)
			}
		}
	}
}

// judge looks at what all tenures have left.
func (d *drama) judge() {
	d.Helper()
	for i, p := range d.programs {
		if steps := d.steps(d.id(i)); !slices.Equal(steps, p.trace()) {
			d.Errorf("run %d: journal %q\nwant %q", i, steps, p.trace())
		}
	}
	if n := d.worst(); n > 1+d.crashes {
		d.Errorf("an attempt was made %d times with %d crashes", n, d.crashes)
	}
	for _, f := range d.faults {
		d.Error(f)
	}
}

// perform plays the programs; before each tenure plan may order faults, and
// answers false when the process is to live from now on.
func perform(t *testing.T, rng *rand.Rand, programs []program, plan func(tenure int, r *rig) bool) {
	t.Helper()
	inRig(t, func(r *rig) {
		d := newDrama(r, programs)
		for tenure := 0; ; tenure++ {
			more := plan(tenure, r)
			if d.act(rng) {
				r.mem.FailCommit(0, memory.Before) // it was for this tenure
				break
			}
			if !more {
				t.Error("the process died by itself")
				return
			}
			d.crashes++
			r.die()
		}
		r.leave()
		d.judge()
	})
}

// script has one of everything, in two runs that go on at the same time.
var script = []program{
	{
		{op: "sum"}, {op: "act", name: "a", n: 1, fails: 1}, {op: "now"}, {op: "take", name: "x"}, {op: "memo", name: "m"},
		{op: "sleep", d: time.Minute}, {op: "rand"}, {op: "take", name: "x"}, {op: "takeFor", name: "never-x", d: 5 * time.Second},
		{op: "act", name: "b", n: 2, d: time.Second}, {op: "id"}, {op: "sleep", d: time.Millisecond}, {op: "act", name: "c", fails: 1, how: "permanent"},
	},
	{{op: "take", name: "y"}, {op: "act", name: "d", d: 3 * time.Second, fails: 1, how: "slow"}, {op: "sleep", d: 2 * time.Second}, {op: "take", name: "x"}},
}

// TestF001F004F006ACrashAtEveryCommitChangesNothing cuts a script at each
// commit, before and after it takes effect, and the tenure after it once more.
func TestF001F004F006ACrashAtEveryCommitChangesNothing(t *testing.T) {
	var ordered atomic.Int64
	perform(t, rand.New(rand.NewPCG(1, 1)), script, func(_ int, r *rig) bool {
		r.mem.SetHook(func(*store.Batch) error { ordered.Add(1); return nil })
		return false
	})
	points, commits := 0, int(ordered.Load())
	for k := 1; k <= commits; k++ {
		for _, moment := range []memory.Moment{memory.Before, memory.After} {
			for _, again := range []int{0, 1, 2, 3, 5, 8, 13, 21} {
				points++
				perform(t, rand.New(rand.NewPCG(1, 1)), script, func(tenure int, r *rig) bool {
					switch {
					case tenure == 0:
						r.mem.FailCommit(k, moment)
					case tenure == 1 && again > 0:
						r.mem.FailCommit(again, moment)
					}
					return tenure <= 1
				})
				if t.Failed() {
					t.Fatalf("cut at commit %d (%d), then at %d", k, moment, again)
				}
			}
		}
	}
	t.Logf("%d commits, %d cuts", commits, points)
}

// TestProgramsEndTheSameWhateverHappens makes programs up and plays them with
// crashes at random commits, runs parked at once or kept in memory, and signals
// at random times: each has the outcome it has undisturbed.
func TestProgramsEndTheSameWhateverHappens(t *testing.T) {
	crashes := 0
	seeds(t, 600, func(t *testing.T, rng *rand.Rand) {
		programs := make([]program, 1+rng.IntN(4))
		for i := range programs {
			programs[i] = randomProgram(rng, 1+rng.IntN(9))
		}
		deaths := rng.IntN(6)
		perform(t, rng, programs, func(tenure int, r *rig) bool {
			r.opts.Grace = []time.Duration{0, time.Nanosecond, time.Millisecond, time.Minute}[rng.IntN(4)]
			r.opts.MaxIdle = []int{0, 1}[rng.IntN(2)]
			r.opts.MaxLive = []int{0, 0, 1, 2}[rng.IntN(4)]
			if tenure < deaths {
				crashes++
				r.mem.FailCommit(1+rng.IntN(40), memory.Moment(1+rng.IntN(2)))
			}
			return tenure < deaths
		})
		if t.Failed() {
			t.Logf("%+v", programs)
		}
	})
	t.Logf("%d crashes ordered", crashes)
}
