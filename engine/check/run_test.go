package check_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/engine/check"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/memory"
)

func write(t testing.TB, s store.Store, f func(*store.Batch)) {
	var b store.Batch
	f(&b)
	if _, err := s.Commit(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
}

func refOf(id flow.WorkflowID) flow.Ref {
	return flow.Ref{ID: id, Run: flow.RunID(fmt.Sprintf("%026d", len(id)))}
}

func headOf(id flow.WorkflowID, s flow.Status) row.Head {
	h := row.Head{Run: refOf(id).Run, Type: "order", Version: "1", Status: s, CreatedAt: 10}
	if s.Terminal() {
		h.ClosedAt = 20
	}
	if s == flow.Pending {
		h.StartAt = soon
	}
	return h
}

// put writes the rows every run has.
func put(b *store.Batch, id flow.WorkflowID, s flow.Status) {
	ref, h := refOf(id), headOf(id, s)
	b.Put(row.HeadKey(id), row.EncodeHead(h))
	b.Put(row.IndexKey(h.Type, h.Version, s, h.CreatedAt, id), []byte(h.Run))
	b.Add(row.CountKey(h.Type, h.Version, s), 1)
	b.Put(row.EventKey(ref, 1), row.EncodeEvent(flow.Event{Kind: flow.EventStarted, At: 10}))
	b.Put(row.EventKey(ref, 2), row.EncodeEvent(flow.Event{Kind: flow.EventStep, Step: "1"}))
	if s == flow.Pending {
		b.Put(row.TimerKey(soon, ref, row.StepStart), nil)
	}
	if s.Terminal() {
		b.Put(row.TerminalKey(h.ClosedAt, id), []byte(h.Run))
		b.Put(row.EventKey(ref, 3), row.EncodeEvent(flow.Event{Kind: flow.EventEnded, Status: s}))
	}
}

// owe writes the rows of an owed teardown.
func owe(b *store.Batch, id flow.WorkflowID) {
	claim := flow.Claim{Status: flow.ClaimOwed, Token: "t", Due: soon, Type: "order", Finalizer: "destroy"}
	b.Put(row.ClaimKey(refOf(id)), row.EncodeClaim(claim))
	b.Put(row.TeardownOf(refOf(id), claim).Key(), nil)
	b.Put(row.StateKey(refOf(id)), row.EncodeState(row.State{Finalizer: "destroy", Payload: []byte("{}")}))
	b.Add(row.CountOwed, 1)
}

const (
	a    = flow.WorkflowID("a")
	soon = flow.Instant(1000)
)

// sound is a store with every kind of row in which all is well. Ids are
// prefixes of each other; a waits for a signal until soon.
func sound(t testing.TB) *memory.Store {
	s := memory.New(memory.Options{})
	write(t, s, func(b *store.Batch) {
		put(b, a, flow.Running)
		put(b, "a:b", flow.Suspended)
		put(b, "ab", flow.Completed)
		put(b, "order", flow.Pending)
		put(b, "order 1", flow.Failed)
		put(b, "order10", flow.Cancelled)
		put(b, "z", flow.TimedOut)
		b.Put(row.ReadyKey(refOf(a)), row.EncodeReady(row.Ready{Generation: 1}))
		b.Put(row.WaitKey(refOf(a), "2"), row.EncodeWait(row.Wait{Kind: flow.StepSignal, Name: "go", Due: soon, Timed: true}))
		b.Put(row.TimerKey(soon, refOf(a), "2"), nil)
		b.Put(row.WaitKey(refOf("a:b"), "2.1"), row.EncodeWait(row.Wait{Kind: flow.StepActivity, Due: soon}))
		b.Put(row.SignalKey(refOf(a), 1), row.EncodeSignal(row.Signal{Name: "go"}))
		b.Put(row.SignalIDKey(refOf(a), "go", "x"), nil)
		b.Put(row.IdemKey("k"), row.EncodeRef(refOf("gone")))
		b.Put(row.AuditKey(1), row.EncodeAudit(flow.Audit{Verb: "start"}))
		owe(b, "order10")
		b.Put(row.LeaseEpoch, make([]byte, 8))
		b.Put(row.LeaseHolder, []byte(`{"holderId":"x"}`))
		b.Put(row.LeaseHistory, []byte(`[]`))
		b.Put(row.SchemaVersion, []byte("1"))
	})
	return s
}

func TestSoundStore(t *testing.T) {
	for name, s := range map[string]store.Store{"empty": memory.New(memory.Options{}), "full": sound(t)} {
		if got, err := check.Run(s); err != nil || len(got) != 0 {
			t.Errorf("%s store: %v, %v", name, got, err)
		}
	}
}

type damage struct {
	do   func(b *store.Batch)
	want []string // each begins a finding; all findings are listed
}

func TestFindings(t *testing.T) {
	groups := map[string]map[string]damage{
		"head": heads, "index": indexes, "journal": journals, "live": lives, "single": singles,
	}
	for group, tests := range groups {
		for name, tc := range tests {
			t.Run(group+"/"+name, func(t *testing.T) {
				s := sound(t)
				write(t, s, tc.do)
				got, err := check.Run(s)
				if err != nil {
					t.Fatal(err)
				}
				text := []string{}
				for i, f := range got {
					line := f.String()
					if i < len(tc.want) && strings.HasPrefix(line, tc.want[i]) {
						line = tc.want[i]
					}
					text = append(text, line)
				}
				if d := cmp.Diff(tc.want, text); d != "" {
					t.Errorf("findings (-want +got):\n%s", d)
				}
			})
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	s := sound(t)
	write(t, s, func(b *store.Batch) {
		for i := range 3000 {
			b.Put(row.ReadyKey(refOf(flow.WorkflowID(fmt.Sprint("none", i)))), row.EncodeReady(row.Ready{}))
		}
	})
	got, err := check.Run(s)
	if err != nil || len(got) != check.MaxFindings+1 {
		t.Fatalf("%d findings, %v; want %d", len(got), err, check.MaxFindings+1)
	}
	if last := got[check.MaxFindings]; last.Text != "1000 findings: the walk stops here" {
		t.Errorf("the last finding is %q", last)
	}
}

// broken is a reader that fails at the n-th row it hands out.
type broken struct {
	store.Reader
	n, seen int
}

var errBroken = errors.New("broken disk")

func (b *broken) fails() bool { b.seen++; return b.seen == b.n }

func (b *broken) Get(key []byte) ([]byte, error) {
	if b.fails() {
		return nil, errBroken
	}
	return b.Reader.Get(key)
}

func (b *broken) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for kv, err := range b.Reader.Scan(r) {
			if b.fails() {
				yield(store.Row{}, errBroken)
				return
			}
			if !yield(kv, err) {
				return
			}
		}
	}
}

func TestReaderErrors(t *testing.T) {
	s := sound(t)
	all := &broken{Reader: s}
	if _, err := check.Run(all); err != nil || all.seen < 40 {
		t.Fatalf("%d rows, %v", all.seen, err)
	}
	for n := 1; n <= all.seen; n++ {
		if _, err := check.Run(&broken{Reader: s, n: n}); !errors.Is(err, errBroken) {
			t.Errorf("fault at row %d of %d: %v", n, all.seen, err)
		}
	}
}

// FuzzRun checks stores with one arbitrary row: it never panics.
func FuzzRun(f *testing.F) {
	for kv, err := range sound(f).Scan(store.Range{}) {
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append([]byte{}, kv.Key...), append([]byte{}, kv.Value...))
	}
	f.Add([]byte("ev:a"), []byte{})
	f.Fuzz(func(t *testing.T, key, value []byte) {
		if len(key) == 0 || key[0] == 0 || len(key) > store.MaxKey {
			t.Skip()
		}
		s := sound(t)
		write(t, s, func(b *store.Batch) { b.Put(key, value) })
		if _, err := check.Run(s); err != nil {
			t.Errorf("row %q: %v", key, err)
		}
	})
}
