package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"weft/flow"
	"weft/views"
)

func splitWords(s string) []string { return strings.Fields(s) }

// begins reports a watch that begins.
func begins(e effect) bool { g, ok := e.(gather); return ok && g.from == 0 }

// ticker tells of something every so often.
type ticker struct {
	Console
	began time.Time
	until time.Duration
	every time.Duration
}

func (c ticker) News(ctx context.Context, from uint64, most int) (flow.News, error) {
	if from == 0 {
		return flow.News{Next: 1}, nil
	}
	time.Sleep(time.Until(c.began.Add(min(c.until, time.Duration(from)*c.every))))
	last := uint64(min(time.Since(c.began), c.until) / c.every)
	if from > last {
		return flow.News{}, flow.ErrClosed
	}
	news := flow.News{Next: last + 1}
	first := max(from, last+1-min(last, uint64(most)))
	for n := first; n <= last; n++ {
		news.Notices = append(news.Notices, flow.Notice{Seq: n})
	}
	news.Notices[0].Missed = first - from
	return news, nil
}

func TestGatherBringsAtMostFourBatchesASecond(t *testing.T) {
	tests := map[string]struct {
		every    time.Duration
		from, to int // batches in 10 s
	}{
		"now and then":                      {time.Second, 9, 11},
		"often":                             {10 * time.Millisecond, 39, 41},
		"more than a batch can tell of":     {100 * time.Microsecond, 9, 12},
		"just not more than it can tell of": {changesEvery / batchKeeps, 39, 41},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := ticker{began: time.Now(), until: 10 * time.Second, every: tc.every}
				batches, notices, missed := 0, 0, uint64(0)
				for e := (gather{}); ; batches++ {
					msg := e.run(t.Context(), c).(changedMsg)
					if msg.err != nil {
						break
					}
					if len(msg.Notices) > batchKeeps {
						t.Fatalf("a batch of %d", len(msg.Notices))
					}
					notices += len(msg.Notices)
					if len(msg.Notices) > 0 {
						missed += msg.Notices[0].Missed
					}
					e = msg.next()
				}
				if batches < tc.from || batches > tc.to {
					t.Errorf("%d batches in 10 s, want %d to %d", batches, tc.from, tc.to)
				}
				if want := int(10 * time.Second / tc.every); notices+int(missed) != want {
					t.Errorf("%d notices and %d missed, want %d together", notices, missed, want)
				}
			})
		})
	}
}

func TestGatherEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if msg := (gather{from: 1, last: time.Now()}).run(ctx, nil); msg != nil {
		t.Errorf("got %v", msg)
	}
}

func TestLinkNeverClaimsToBeLive(t *testing.T) {
	r := newRig(t, populated(), 80, 24)
	r.shows("LIVE")
	r.f.hungUp = true
	r.stall = begins
	r.pass(time.Second)
	r.shows("POLL 2s")
	r.stall = func(e effect) bool {
		_, info := e.(readInfo)
		return begins(e) || info
	}
	r.pass(8 * time.Second)
	r.shows("STALE 8s")
	r.release()
	r.pass(4 * time.Second)
	r.shows("LIVE")
	r.f.fail = errors.New("socket closed")
	r.pass(3 * time.Second)
	r.shows("LOST", "socket closed", "all running")
	r.keys("N")
	r.shows("nothing can be changed: socket closed")
	r.f.fail = nil
	r.pass(2 * time.Second)
	r.shows("LIVE")
}

func TestPollingReadsTheListsWithoutASubscription(t *testing.T) {
	r := newRig(t, populated(), 80, 24)
	r.f.hungUp = true
	r.stall = begins
	r.pass(time.Second)
	_, _ = r.f.Do(t.Context(), flow.Act{Deed: flow.Start{Type: "order-process", ID: "unheard"}})
	r.pass(4 * time.Second)
	r.shows("unheard")
}

func TestLateAnswersAreDropped(t *testing.T) {
	r := newRig(t, populated(), 80, 24)
	r.stall = func(e effect) bool { _, ok := e.(readPage); return ok }
	r.keys("/")
	r.types("held")
	r.pass(100 * time.Millisecond)
	r.keys("ctrl+u")
	r.types("imp")
	r.pass(100 * time.Millisecond)
	r.keys("enter")
	if len(r.stalled) < 2 {
		t.Fatalf("%d questions were asked", len(r.stalled))
	}
	// The answers come in the wrong order.
	first, last := r.stalled[0], r.stalled[len(r.stalled)-1]
	r.stalled = nil
	r.stall = nil
	r.run(last)
	r.shows("imp-2b7e01c4")
	page := first.(readPage)
	r.send(pageMsg{page, flow.Page{}, nil})
	r.shows("imp-2b7e01c4")
	r.send(pageMsg{page, flow.Page{}, errors.New("late error")})
	r.lacks("late error")
}

// TestLateAnswersAreDroppedWhileTheNewOneIsOut: what was asked before does not stand
// in for what is not answered yet, and its error does not either.
func TestLateAnswersAreDroppedWhileTheNewOneIsOut(t *testing.T) {
	for name, late := range map[string]error{"an answer": nil, "an error": errors.New("late error")} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, populated(), 80, 24)
			r.stall = func(e effect) bool { _, ok := e.(readPage); return ok }
			r.play(": 'filter held' enter : 'filter imp' enter")
			if len(r.stalled) != 2 {
				t.Fatalf("%d questions were asked", len(r.stalled))
			}
			r.send(pageMsg{r.stalled[0].(readPage), flow.Page{}, late})
			r.lacks("late error", "no matches for /imp")
			r.stall = nil
			r.run(r.stalled[1])
			r.shows("imp-2b7e01c4", "/imp")
		})
	}
}

// TestWhatIsReadAfterAnOwnActOutranksWhatWasAskedBefore: an answer from before the
// act must not show the run as if nothing had been done.
func TestWhatIsReadAfterAnOwnActOutranksWhatWasAskedBefore(t *testing.T) {
	r := newRig(t, populated(), 100, 30)
	r.stall = func(e effect) bool { _, ok := e.(readPage); return ok }
	r.keys("r c")
	r.pass(time.Second)
	before := r.stalled[0].(readPage)
	r.keys("y")
	if len(r.f.acts) != 1 || len(r.stalled) < 2 {
		t.Fatalf("%d acts, %d questions", len(r.f.acts), len(r.stalled))
	}
	r.send(pageMsg{before, flow.Page{}, nil})
	r.lacks("nothing runs")
	r.release()
	r.shows("(just cancelled)")
}

func TestFilterWaitsForTypingToRest(t *testing.T) {
	r := newRig(t, crowd(100), 80, 24)
	before := r.f.calls
	r.keys("/")
	for _, c := range "ord-0004" {
		r.types(string(c))
		r.pass(20 * time.Millisecond)
	}
	if r.f.calls != before {
		t.Errorf("%d reads while typing", r.f.calls-before)
	}
	r.pass(100 * time.Millisecond)
	r.shows("ord-00049")
	r.lacks("ord-00099")
	r.keys("esc")
	r.shows("ord-00099")
}

func TestFilterThatCannotBeReadKeepsTheLastGoodOne(t *testing.T) {
	r := newRig(t, populated(), 80, 24)
	r.keys("/")
	r.types("imp")
	r.pass(100 * time.Millisecond)
	r.types(" status=broken")
	r.pass(100 * time.Millisecond)
	r.shows("imp-2b7e01c4", "is none of pending")
	r.keys("enter")
	r.shows("imp-2b7e01c4", "the filter is kept as it was", "/imp ")
	r.pass(5 * time.Second)
	r.keys("j")
	r.lacks("is none of pending")
	r.shows("/imp ")
}

// TestFrozenConsoleDrawsTheSameFrame also stands for the bytes sent to the
// terminal: the library sends what differs.
func TestFrozenConsoleDrawsTheSameFrame(t *testing.T) {
	r := newRig(t, crowd(50), 80, 24)
	r.keys("z")
	r.pass(5 * time.Second)
	frame := r.frame()
	for range 10 {
		r.f.mu.Lock()
		r.f.info.Lease.RenewedAt = flow.InstantOf(r.now)
		r.f.info.Lease.ExpiresAt = flow.InstantOf(r.now.Add(30 * time.Second))
		r.f.mu.Unlock()
		r.pass(time.Second)
		if got := r.frame(); got != frame {
			t.Fatalf("the frame changed:\n%s", got)
		}
	}
	r.f.set(r.f.runs[3].Ref, flow.Completed)
	r.pass(time.Second)
	r.shows("FROZEN, 1 change", "50 runs | FROZEN", "ord-00049")
	depose(r.f)
	r.pass(time.Second)
	r.shows("DEPOSED")
	r.keys("z")
	r.shows("49 runs\n")
}

// TestFrozenConsoleSaysWhatItDoesNotRead: nothing is on its way, so it must not look
// as if it were.
func TestFrozenConsoleSaysWhatItDoesNotRead(t *testing.T) {
	r := newRig(t, crowd(50), 120, 40)
	for _, keys := range []string{"z j j", "4", "9", "@"} {
		r.keys(keys)
		r.pass(time.Second)
		r.lacks("reading ..")
	}
	r.keys("2")
	r.shows("not read while frozen; z lets it go on")
	r.keys("z")
	r.pass(time.Second)
	r.lacks("not read while frozen")
	r.stall = func(e effect) bool { _, ok := e.(readDetail); return ok }
	r.keys("j")
	r.shows("reading ..")
}

// TestIdleConsoleChangesLittle bounds what a second of rest costs: the cells
// that change, with the bytes to get to each run of them.
func TestIdleConsoleChangesLittle(t *testing.T) {
	r := newRig(t, crowd(300), 200, 60)
	for range 5 {
		before := strings.Split(r.frame(), "\n")
		r.pass(time.Second)
		cost := 0
		for i, line := range strings.Split(r.frame(), "\n") {
			cost += changed(before[i], line)
		}
		if cost > 2048 {
			t.Errorf("a second of rest costs about %d bytes", cost)
		}
	}
}

// changed is about what it takes to turn one line into the other.
func changed(a, b string) int {
	cost, last := 0, -100
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if i-last > 8 {
			cost += 8
		}
		cost, last = cost+1, i
	}
	return cost
}

func TestSmallScreenKeepsItsState(t *testing.T) {
	r := newRig(t, crowd(50), 80, 24)
	r.keys("j j j")
	at := r.cursor()
	r.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	r.shows("needs 58x16, has 40x10", "lease HELD", "owed 0")
	r.keys("j N s p 4 enter ?")
	r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if r.cursor() != at || len(r.f.acts) > 0 || r.m.modal.top != nil {
		t.Errorf("keys acted unseen: cursor %s, want %s", r.cursor(), at)
	}
	r.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	r.keys("q")
	if !r.done {
		t.Error("q did not quit")
	}
}

func TestHelpListsAllKeysWithTheirReasons(t *testing.T) {
	r := newRig(t, populated(), 120, 60)
	r.keys("?")
	r.shows("Keys: list of runs", "half a page down; deletes nothing", "type order-process declares no updates", "retry is for teardowns; this")
	r.keys("?")
	r.lacks("Keys:")
}

func TestInspectorShowsEverySide(t *testing.T) {
	r := newRig(t, populated(), 80, 24)
	r.keys("j j j enter")
	r.pass(time.Second)
	r.shows("R RUNNING", "reserveStock", "503 Service Unavailable: stock", "try 2/3", "tags      eu, vip")
	r.keys("]")
	r.shows("[Timeline]", "4   reserveStock", "sleep", "30s")
	r.keys("]")
	r.shows("[Events]", "    2 12:02:18.400 1 activity chargeCard \"ch_1\"")
	r.keys("]")
	r.shows("[Payloads]", "\"ref\": 3544790567247868102,", "result  none")
	r.keys("]")
	r.shows("[Signals]", "paid", "\"cents\": 4999")
	r.keys("esc")
	if r.m.open != views.PaneRunning {
		t.Errorf("esc went to pane %s", r.m.open)
	}
}

func TestInspectorSaysThatARunIsGone(t *testing.T) {
	r := newRig(t, populated(), 80, 24)
	r.keys("enter")
	r.f.mu.Lock()
	r.f.runs = r.f.runs[:2]
	r.f.mu.Unlock()
	r.keys("r")
	r.pass(time.Second)
	r.shows("cannot read the run: there is no workflow")
}

// TestBusyConsoleReadsItsListFourTimesASecond: with every notice the counts are
// others, too, and no read is made twice for that.
func TestBusyConsoleReadsItsListFourTimesASecond(t *testing.T) {
	r := newRig(t, crowd(300), 120, 40)
	r.pass(time.Second)
	reads := 0
	r.stall = func(e effect) bool {
		if p, ok := e.(readPage); ok && p.list == listRunning {
			reads++
		}
		return false
	}
	for i := range 100 {
		r.f.set(r.f.runs[i].Ref, flow.Completed)
		r.pass(100 * time.Millisecond)
	}
	if reads < 38 || reads > 42 {
		t.Errorf("the list was read %d times in 10 s, want 40", reads)
	}
	r.shows("200")
}

// TestCountsThatNobodyToldOfAreReadSoon: the list comes round without a notice.
func TestCountsThatNobodyToldOfAreReadSoon(t *testing.T) {
	r := newRig(t, crowd(50), 120, 40)
	r.f.mu.Lock()
	r.f.runs[3].Status = flow.Completed
	r.f.mu.Unlock()
	r.pass(4 * time.Second)
	r.shows("run 49 ", "  49 runs||")
}
