package lease_test

import (
	"flag"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"
)

// TestModel lets contenders compete for one store while everything happens to
// them: stores that hang, refuse and lose answers, wall clocks that are stepped,
// crashes. What must hold at every commit is in [world.judge], what must hold
// between them in [world.invariants]; at the end the history of all acquisitions,
// writes and reads must be one of a store with one owner at a time.
//
// rapid prints the seed of a history that fails; -rapid.seed plays it again and
// -rapid.checks sets how many are played. With WEFT_TORTURE set it plays twenty
// times as many.
func TestModel(t *testing.T) {
	const parts = 2
	checks := 10_000
	if os.Getenv("WEFT_TORTURE") != "" {
		checks *= 20
	}
	must(t, flag.Set("rapid.nofailfile", "true")) // the seed does
	number := flag.Lookup("rapid.checks")
	if number.Value.String() == number.DefValue {
		must(t, number.Value.Set(strconv.Itoa(checks/parts)))
		t.Cleanup(func() { must(t, number.Value.Set(number.DefValue)) })
	}
	var sum tally
	t.Run("histories", func(t *testing.T) {
		for part := range parts {
			t.Run(strconv.Itoa(part), func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(rt *rapid.T) { playInBubble(t, rt, &sum) })
			})
		}
	})
	t.Logf("%d histories: %d tenures, %d of them by expiry, %d crashes, %d deposed owners, %d writes, %d of them refused",
		sum.histories.Load(), sum.tenures.Load(), sum.expiries.Load(), sum.crashes.Load(), sum.deposed.Load(),
		sum.writes.Load(), sum.refused.Load())
	if !t.Failed() && (sum.expiries.Load() == 0 || sum.deposed.Load() == 0 || sum.refused.Load() == 0 || sum.crashes.Load() == 0) {
		t.Error("something never happened: the model proves nothing about it")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tally counts over all histories what happened, to show that it did.
type tally struct {
	histories, tenures, expiries, crashes, deposed, writes, refused atomic.Int64
}

// playInBubble plays one history in virtual time. rapid leaves a history by a
// panic, which has to be carried out of the bubble.
func playInBubble(t *testing.T, rt *rapid.T, sum *tally) {
	var left any
	var w *world
	synctest.Test(t, func(t *testing.T) {
		w = newWorld(rt, sum)
		defer w.end()
		defer func() { left = recover() }()
		w.play()
	})
	if left != nil {
		panic(left)
	}
	w.judgeHistory()
}

// play is one history.
func (w *world) play() {
	w.rt.Repeat(map[string]func(*rapid.T){
		"enter":  w.enter,
		"enter2": w.enter,
		"stall":  w.stall,
		"heal":   w.heal,
		"refuse": w.refuse,
		"lose":   w.lose,
		"clock":  w.stepClock,
		"crash":  w.crash,
		"leave":  w.leave,
		"read":   func(*rapid.T) { w.read() },
		"sleep":  w.sleep,
		"sleep2": w.sleep,
		"sleep3": w.sleep,
		"sleep4": w.sleep,
		"stall2": w.stall,
		"":       w.invariants,
	})
	for _, p := range w.alive() {
		p.door.open()
	}
	time.Sleep(10 * time.Second)
	w.invariants(w.rt)
	w.end()
	w.invariants(w.rt)
}

// judgeHistory runs outside of the bubble: its clock stands still while porcupine thinks.
func (w *world) judgeHistory() {
	switch porcupine.CheckOperationsTimeout(model, w.ops, 20*time.Second) {
	case porcupine.Ok:
		w.sum.histories.Add(1)
		return
	case porcupine.Unknown:
		w.rt.Fatalf("a history of %d operations is too hard to judge", len(w.ops))
	}
	for _, o := range w.ops {
		w.rt.Logf("%s", describe(o))
	}
	w.rt.Fatalf("no store with one owner at a time has this history")
}

// durations that matter: below a poll, around a renewal, around a ttl.
var pauses = []time.Duration{time.Millisecond, poll, 300 * time.Millisecond, time.Second, ttl, 2 * ttl}

func (w *world) sleep(rt *rapid.T) {
	time.Sleep(rapid.SampledFrom(pauses).Draw(rt, "pause"))
}

// enter starts a process of a contender that has none.
func (w *world) enter(rt *rapid.T) {
	var free []*contender
	for _, c := range w.contenders {
		if c.process == nil {
			free = append(free, c)
		}
	}
	if len(free) == 0 {
		rt.Skip("all are here")
	}
	c := rapid.SampledFrom(free).Draw(rt, "contender")
	long := rapid.SampledFrom([]time.Duration{ttl / 2, ttl, ttl + ttl/2}).Draw(rt, "ttl")
	c.process = w.newProcess(c, long)
	synctest.Wait()
}

// one of the processes that live.
func (w *world) one(rt *rapid.T) *process {
	all := w.alive()
	if len(all) == 0 {
		rt.Skip("nobody is here")
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(rt, "process")]
}

func (w *world) stall(rt *rapid.T) {
	p := w.one(rt)
	p.door.stall(rapid.Bool().Draw(rt, "after it took effect"))
}

func (w *world) heal(rt *rapid.T) { w.one(rt).door.open(); synctest.Wait() }

func (w *world) refuse(rt *rapid.T) {
	p := w.one(rt)
	p.door.refuse(rapid.IntRange(1, 12).Draw(rt, "commits"), rapid.Bool().Draw(rt, "full"))
}

func (w *world) lose(rt *rapid.T) { w.one(rt).door.loseNext() }

func (w *world) crash(rt *rapid.T) {
	p := w.one(rt)
	if rapid.IntRange(0, 3).Draw(rt, "luck") > 0 {
		rt.Skip("it lives on")
	}
	p.crash()
	w.sum.crashes.Add(1)
}

func (w *world) leave(rt *rapid.T) {
	p := w.one(rt)
	p.leaveOnce.Do(func() { close(p.leave) })
	synctest.Wait()
}

// stepClock moves the wall clock of one contender, or stops it.
func (w *world) stepClock(rt *rapid.T) {
	c := rapid.SampledFrom(w.contenders).Draw(rt, "contender")
	at := c.clock.now()
	switch rapid.IntRange(0, 5).Draw(rt, "step") {
	case 0:
		c.clock.set(at.Add(time.Hour), false)
	case 1:
		c.clock.set(at.Add(-time.Hour), false)
	case 2:
		c.clock.set(at.AddDate(10, 0, 0), false)
	case 3:
		c.clock.set(time.Unix(0, 0), false)
	case 4:
		c.clock.set(at.AddDate(-70, 0, 0), false)
	case 5:
		c.clock.set(at, true)
	}
}
