package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"weft/engine"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

// fate is what happens to the processes that run a tree, one after the other;
// the last one lives.
type fate struct {
	tenures []tenure
	// delays are how long after the beginning of a tenure each signal is sent.
	delays []time.Duration
}

// tenure is one process: how it keeps runs in memory, and how it ends.
type tenure struct {
	grace            time.Duration
	maxIdle, maxLive int
	// dieAt is the commit that the process dies at, 0 if it is closed after
	// lasts instead.
	dieAt int
	when  memory.Moment
	lasts time.Duration
	// suspendAt and resumeAfter stop a run for a while; 0 does not. suspends
	// chooses which, 0 is the root.
	suspendAt, resumeAfter time.Duration
	suspends               int
}

func drawFate(t *rapid.T) fate {
	var f fate
	span := rapid.SampledFrom([]time.Duration{0, time.Millisecond, 500 * time.Millisecond, 2 * time.Second, 15 * time.Second, time.Minute})
	for range 1 + rapid.IntRange(0, 4).Draw(t, "deaths") {
		f.tenures = append(f.tenures, tenure{
			grace:   rapid.SampledFrom([]time.Duration{0, time.Nanosecond, time.Millisecond, time.Minute}).Draw(t, "grace"),
			maxIdle: rapid.IntRange(0, 1).Draw(t, "idle"),
			maxLive: rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "live"),
			dieAt:   rapid.IntRange(0, 40).Draw(t, "commit"),
			when:    memory.Moment(rapid.IntRange(1, 2).Draw(t, "moment")),
			lasts:   span.Draw(t, "lasts"), suspendAt: span.Draw(t, "suspend"), resumeAfter: span.Draw(t, "resume"),
			suspends: rapid.IntRange(0, 3).Draw(t, "suspends"),
		})
	}
	f.delays = rapid.SliceOfN(span, 4, 4).Draw(t, "delays")
	return f
}

// play is a tree on its way through a fate.
type play struct {
	*rig
	*grove
	fate
	script *treeScript
	ids    []flow.WorkflowID // of all runs, the root's first
	ends   int               // tenures that ended early
	mu     sync.Mutex
	sent   map[take]bool
}

const root flow.WorkflowID = "root"

// tenure plays one process and reports whether the tree came to its end.
func (p *play) tenure(t tenure, last bool) bool {
	p.opts = engine.Options{Grace: t.grace, MaxIdle: t.maxIdle, MaxLive: t.maxLive,
		LeaseTTL: 10_000 * time.Hour, LeaseRenew: 3000 * time.Hour}
	if !last && t.dieAt > 0 {
		p.mem.FailCommit(t.dieAt, t.when)
	}
	limit := 24 * time.Hour
	if !last && t.dieAt == 0 {
		limit = t.lasts
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	e, err := p.tryOpen(p.workflow())
	if err != nil {
		return p.alive("open", err, last)
	}
	p.replay(root) // as far as it is
	run, err := p.workflow().Start(ctx, e, 0, engine.StartOptions{ID: root, IdempotencyKey: "root"})
	if err != nil {
		return p.alive("start", err, last)
	}
	var others sync.WaitGroup
	defer others.Wait()
	defer cancel()
	for i, what := range p.script.takes {
		others.Go(func() { p.send(ctx, e, what, p.delays[i%len(p.delays)]) })
	}
	for i, what := range p.script.puts {
		others.Go(func() { p.put(ctx, e, what, p.delays[i%len(p.delays)]) })
	}
	others.Go(func() { p.disturb(ctx, e, t) })
	others.Go(func() { p.tell(ctx, e) })
	got, err := run.Result(ctx)
	if err != nil {
		return p.alive("result", err, last)
	}
	if want := p.code.result(); got != want {
		p.Errorf("result %s\nwant   %s", got, want)
	}
	return true
}

// alive takes an error for the end of the process, which the last one must not
// have.
func (p *play) alive(what string, err error, last bool) bool {
	if last {
		p.Fatalf("%s, in the last tenure: %v", what, err)
	}
	p.ends++
	return false
}

// send sends a signal as soon as the run is there, once its time has come.
func (p *play) send(ctx context.Context, e *engine.Engine, what take, delay time.Duration) {
	for pause := delay; ; pause = 3 * time.Second {
		select {
		case <-ctx.Done():
			return
		case <-e.Halted():
			return
		case <-time.After(pause):
		}
		p.mu.Lock()
		sent := p.sent[what]
		p.mu.Unlock()
		if sent {
			return
		}
		id, _ := strconv.Atoi(what.name[1:])
		err := engine.Signal[string]{Name: what.name}.SendWith(ctx, e, what.run, fmt.Sprintf("take%d", id),
			engine.SendOptions{SignalID: what.name})
		if err == nil || errors.Is(err, flow.ErrFinished) {
			p.mu.Lock()
			p.sent[what] = true
			p.mu.Unlock()
			return
		}
	}
}

// tell tells the outcomes that come from outside, a while after they are asked
// for. A token that is refused has been believed before the process died, or its
// attempt is over.
func (p *play) tell(ctx context.Context, e *engine.Engine) {
	for pause := p.delays[0]; ; pause = time.Second {
		select {
		case <-ctx.Done():
			return
		case <-e.Halted():
			return
		case <-time.After(pause):
		}
		for token, out := range p.untold() {
			err := p.later().Complete(ctx, e, token, out)
			if err == nil || errors.As(err, new(*flow.TokenError)) {
				p.believed(token)
			}
		}
	}
}

// disturb suspends a run for a while. What an earlier process has left suspended
// is resumed first.
func (p *play) disturb(ctx context.Context, e *engine.Engine, t tenure) {
	do := func(d flow.Deed) { _, _ = e.Operator().Do(ctx, flow.Act{Actor: "ana", Deed: d}) }
	for _, id := range p.ids {
		do(flow.ResumeRun{Target: flow.Ref{ID: id}})
	}
	if t.suspendAt == 0 {
		return
	}
	at := flow.Ref{ID: p.ids[t.suspends%len(p.ids)]}
	time.Sleep(t.suspendAt)
	do(flow.SuspendRun{Target: at})
	time.Sleep(t.resumeAfter)
	do(flow.ResumeRun{Target: at})
}

// through plays the whole fate.
func (p *play) through() {
	for i, t := range p.tenures {
		over := p.tenure(t, i == len(p.tenures)-1)
		p.mem.FailCommit(0, memory.Before)
		if over {
			break
		}
		if t.dieAt > 0 {
			p.die()
			continue
		}
		gone, cancel := context.WithTimeout(context.Background(), time.Minute)
		_ = p.eng.Close(gone)
		cancel()
		p.eng = nil
		p.mem.Close()
		again, err := p.mem.Reopen()
		if err != nil {
			p.Fatalf("reopen: %v", err)
		}
		p.mem, p.store = again, again
	}
	if p.mem.Health().State == store.Failed { // right after the end
		p.die()
		p.open(p.workflow())
	}
	p.judge()
}

// judge looks at what all processes together have left.
func (p *play) judge() {
	for id, want := range p.script.steps {
		for _, step := range p.stepsOf(id) {
			if p.script.isLost(id, step) {
				continue
			}
			if !want[step] {
				p.Errorf("run %s has recorded %q, which is no step of it, or recorded twice", id, step)
			}
			delete(want, step)
		}
		for step := range want {
			p.Errorf("run %s has not recorded %q", id, step)
		}
	}
	for id := range p.script.steps {
		p.replay(id)
	}
	p.leftBehind()
	p.replied()
	p.purgeAll()
	if n := p.worst(); n > 1+p.ends {
		p.Errorf("an attempt was made %d times with %d processes", n, 1+p.ends)
	}
	for _, f := range p.faults {
		p.Error(f)
	}
}

// replay demands that an exported journal fits the code that made it, and
// performs nothing.
func (p *play) replay(id flow.WorkflowID) {
	d, err := p.eng.Operator().Detail(context.Background(), flow.Ref{ID: id}, flow.PartEvents)
	if err == nil {
		again := newGrove(p.code)
		err = engine.Replay(context.Background(), engine.Options{Workflows: []engine.Definition{again.workflow()}}, flow.JournalOf(d))
		if n := again.attempts(); n != 0 {
			p.Errorf("a replay made %d attempts", n)
		}
	}
	if err != nil && !errors.Is(err, flow.ErrNotFound) {
		p.Errorf("run %s: %v", id, err)
	}
}

// verdict is a test whose failures are handed on: rapid runs what failed again,
// smaller.
type verdict struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (v *verdict) Helper() {}
func (v *verdict) Error(args ...any) {
	v.Errorf("%s", fmt.Sprint(args...))
}
func (v *verdict) Errorf(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said = append(v.said, fmt.Sprintf(format, args...))
}
func (v *verdict) Fatalf(format string, args ...any) {
	v.Errorf(format, args...)
	panic(v)
}

// playTree plays a tree in virtual time and returns what is wrong.
func playTree(t *testing.T, code tree, f fate) (said []string, ends int) {
	v := &verdict{TB: t}
	synctest.Test(t, func(t *testing.T) {
		r := &rig{TB: v, mem: memory.New(memory.Options{Exclusive: true})}
		r.store = r.mem
		p := &play{rig: r, grove: newGrove(code), fate: f, script: code.script(root), sent: map[take]bool{}}
		p.ids = slices.Sorted(maps.Keys(p.script.steps)) // the root's is a prefix of all others
		defer func() {
			if left := recover(); left != nil && left != any(v) {
				panic(left)
			}
			gone, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if r.eng != nil {
				_ = r.eng.Close(gone)
			}
			r.sound()
			r.store.Close()
			ends = p.ends
		}()
		p.through()
	})
	return v.said, ends
}

// TestTreesEndTheSameWhateverHappens makes nested code up, of all that code can
// do, and processes that die at any commit, are closed at any instant, park runs
// at any wait and suspend them: the outcome, and the steps in the journals, are
// those of undisturbed code, no attempt is made more often than processes have
// begun, and the rows fit together. A failure is shrunk and printed with its
// seed; run it again with -rapid.seed.
func TestTreesEndTheSameWhateverHappens(t *testing.T) {
	checks := 100
	if os.Getenv("WEFT_TORTURE") != "" {
		checks = 50_000
	}
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.checks": strconv.Itoa(checks)} {
		known := flag.Lookup(name)
		if name == "rapid.checks" && known.Value.String() != known.DefValue {
			continue
		}
		if err := known.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = known.Value.Set(known.DefValue) })
	}
	played, ends, ops := 0, 0, map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		code, f := drawTree(rt, 3), drawFate(rt)
		code.number(0)
		said, n := playTree(t, code, f)
		played, ends = played+1, ends+n
		code.count(ops)
		if len(said) > 0 {
			rt.Fatalf("%s\ncode: %s\nfate: %+v", strings.Join(said, "\n"), code, f)
		}
	})
	t.Logf("%d trees, %d processes ended early, statements %v", played, ends, ops)
	if t.Failed() {
		return
	}
	for _, op := range slices.Concat(leaves, groups) {
		if ops[op] == 0 {
			t.Errorf("no tree had a statement %s", op)
		}
	}
	if ends == 0 {
		t.Error("no process ended early")
	}
}

func (p tree) count(ops map[string]int) {
	for _, n := range p {
		ops[n.op]++
		for _, sub := range n.in {
			sub.count(ops)
		}
	}
}
