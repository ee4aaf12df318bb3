package lease_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"weft/engine/row"
	"weft/store"
	"weft/store/memory"
)

// world is the store that contenders compete for, and what an observer of every
// commit knows.
type world struct {
	rt         *rapid.T
	sum        *tally
	contenders []*contender
	everyone   []*process

	mu      sync.Mutex // one commit at a time, and what follows
	s       *memory.Store
	epoch   []byte
	holder  []byte
	ttl     time.Duration // of the holder
	changed time.Time     // when the holder's row last changed
	owner   *process      // who took the epoch
	wrong   []string
	stamp   int64
	ops     []porcupine.Operation
}

var dataKey = []byte("data")

func newWorld(rt *rapid.T, sum *tally) *world {
	w := &world{rt: rt, sum: sum, s: memory.New(memory.Options{}), changed: time.Now()}
	for _, name := range []string{"ann", "bob", "cleo"} {
		w.contenders = append(w.contenders, &contender{name: name, clock: clockAt(time.Now())})
	}
	return w
}

// alive are the processes of now.
func (w *world) alive() (all []*process) {
	for _, c := range w.contenders {
		if c.process != nil && c.process.ended() {
			c.process = nil
		}
		if c.process != nil {
			all = append(all, c.process)
		}
	}
	return all
}

// end kills whoever is left.
func (w *world) end() {
	for _, p := range w.alive() {
		p.crash()
	}
}

func (w *world) fault(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// commit applies the batch of a process and judges what it did.
func (w *world) commit(p *process, b *store.Batch) (store.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	res, err := w.s.Commit(context.Background(), b)
	if err == nil && res.Applied {
		w.judge(p, b)
	}
	return res, err
}

// judge looks at an applied batch. mu is held.
func (w *world) judge(p *process, b *store.Batch) {
	epoch, _ := w.s.Get(row.LeaseEpoch)
	holder, _ := w.s.Get(row.LeaseHolder)
	now := time.Now()
	if !bytes.Equal(epoch, w.epoch) {
		w.judgeTransfer(p, epoch, now)
	}
	if !bytes.Equal(holder, w.holder) {
		var r record
		if holder != nil && json.Unmarshal(holder, &r) != nil {
			w.fault("%s wrote the holder %q", p, holder)
		}
		w.holder, w.changed, w.ttl = holder, now, time.Duration(r.TTL)*time.Millisecond
	}
	for _, write := range b.Writes {
		if bytes.Equal(write.Key, dataKey) && w.owner != p {
			w.fault("%s wrote at epoch %x, which %s has taken", p, epoch, w.owner)
		}
	}
}

// judgeTransfer looks at a change of the owner: the epoch grows by one, and a
// holder that renews is not robbed.
func (w *world) judgeTransfer(p *process, epoch []byte, now time.Time) {
	w.sum.tenures.Add(1)
	before := uint64(0)
	if w.epoch != nil {
		before = number(w.epoch)
	}
	if number(epoch) != before+1 {
		w.fault("%s moved the epoch from %d to %d", p, before, number(epoch))
	}
	if w.holder != nil {
		w.sum.expiries.Add(1)
		if kept := now.Sub(w.changed); kept < w.ttl {
			w.fault("%s robbed %s, which had renewed %v ago, of %v", p, w.owner, kept, w.ttl)
		}
		if !w.owner.dead() && w.owner.l.InForce() {
			w.fault("%s took the lease while it was in force for %s", p, w.owner)
		}
	}
	w.epoch, w.owner = epoch, p
}

// number is the epoch of 8 bytes.
func number(raw []byte) (n uint64) {
	for _, b := range raw {
		n = n<<8 | uint64(b)
	}
	return n
}

// slack is how much longer than ttl and poll a take-over may take: a look that
// is lost to another waiter, and the timers of one instant.
const slack = poll + time.Millisecond

// invariants hold between any two actions.
func (w *world) invariants(rt *rapid.T) {
	alive := w.alive()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range w.wrong {
		rt.Errorf("%s", text)
	}
	inForce := 0
	for _, p := range alive {
		if p.l.InForce() {
			inForce++
			if p != w.owner {
				rt.Errorf("the lease is in force for %s, the owner is %s", p, w.owner)
			}
		}
		if err := p.l.Err(); err != nil && !p.door.disturbed() && !p.dead() {
			rt.Errorf("%s lost the lease although nothing kept it from renewing: %v", p, err)
		}
		since, waits := p.waitsSince()
		if !waits {
			continue
		}
		if since.Before(w.changed) {
			since = w.changed
		}
		if waited := time.Since(since); waited > w.ttl+poll+slack {
			rt.Errorf("%s waits for %v, the holder's ttl is %v and it has not renewed", p, waited, w.ttl)
		}
	}
	if inForce > 1 {
		rt.Errorf("the lease is in force for %d at once", inForce)
	}
	if rt.Failed() {
		rt.FailNow()
	}
}

// event is one operation of the history that porcupine judges.
type event struct {
	what  string // acquire, write, read
	who   string
	epoch uint64 // of a write
	value string // of a write
}

// outcome of an event. Nobody knows what became of an unknown one.
type outcome struct {
	unknown bool
	applied bool   // of a write
	epoch   uint64 // of an acquisition
	value   string // of a read
}

// state is all there is to the model: the epoch and the last write.
type state struct {
	epoch uint64
	value string
}

// model is a store with one owner at a time.
var model = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(s, in, out any) (bool, any) {
		st, ev, o := s.(state), in.(event), out.(outcome)
		switch ev.what {
		case "acquire":
			st.epoch++
			return o.unknown || o.epoch == st.epoch, st
		case "write":
			fits := st.epoch == ev.epoch
			if fits {
				st.value = ev.value
			}
			return o.unknown || o.applied == fits, st
		default:
			return o.value == st.value, st
		}
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v → %+v", in, out) },
}

func describe(o porcupine.Operation) string {
	return fmt.Sprintf("%d..%d %+v → %+v", o.Call, o.Return, o.Input, o.Output)
}

func (w *world) tick() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stamp++
	return w.stamp
}

// record notes an operation that began at call. One whose outcome is unknown
// may take effect at any time after.
func (w *world) record(call int64, ev event, o outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stamp++
	back := w.stamp
	if o.unknown {
		back = math.MaxInt64
	}
	w.ops = append(w.ops, porcupine.Operation{Input: ev, Call: call, Output: o, Return: back})
}

func (w *world) read() {
	call := w.tick()
	raw, err := w.s.Get(dataKey)
	if err != nil {
		w.rt.Fatalf("read: %v", err)
	}
	w.record(call, event{what: "read", who: "reader"}, outcome{value: string(raw)})
}
