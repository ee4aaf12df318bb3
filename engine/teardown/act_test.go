package teardown_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/engine/row"
	"weft/engine/teardown"
	"weft/flow"
	"weft/store"
)

// refused demands an error that is want and says text, and that nothing changed.
func refused(v *env, err, want error, text string) {
	v.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
		v.Errorf("error %v, want %v that says %q", err, want, text)
	}
}

// dead makes a dead letter of a run: its state is missing.
func (v *env) dead(id string) {
	v.Helper()
	v.close()
	v.owe(id)
	b := new(store.Batch)
	b.Delete(row.StateKey(ref(id)))
	v.commit(b)
	v.open()
	v.wait(time.Second)
	if _, ok := v.letter(id); !ok {
		v.Fatal("there is no letter")
	}
}

func failing(n int) []func(context.Context) error {
	var script []func(context.Context) error
	for range n {
		script = append(script, fails("no"))
	}
	return script
}

func TestRetry(t *testing.T) {
	bubble(t, newWorld(failing(2)...), func(v *env) {
		v.owe("a")
		v.wait(10 * time.Second)
		a := new(audits)
		out, err := v.d.Retry(ref("a"), a.put)
		if err != nil || out.Unchanged || out.Text != "teardown destroy-vm of a: attempt 2 of 8 due now" || fmt.Sprint(a.texts) != "["+out.Text+"]" {
			t.Errorf("%+v, %v, %q", out, err, a.texts)
		}
		v.wait(0)
		v.attempted("a", 2)
		if c := v.claim("a"); c.Attempts != 2 {
			t.Errorf("attempts are %d", c.Attempts)
		}
		if v.rows(row.FamilyAudit) != 1 || v.rows(row.FamilyTeardown) != 1 {
			t.Errorf("%d audit records, %d timers", v.rows(row.FamilyAudit), v.rows(row.FamilyTeardown))
		}
		v.wait(5 * time.Minute)
		v.done("a", 3)
	})
}

func TestRetryRefused(t *testing.T) {
	bubble(t, newWorld(hangs), func(v *env) {
		a := new(audits)
		_, err := v.d.Retry(ref("none"), a.put)
		refused(v, err, flow.ErrNotFound, "owed teardown of run")
		v.owe("a")
		v.wait(130 * time.Second)
		_, err = v.d.Retry(ref("a"), a.put)
		refused(v, err, flow.ErrConflict, "attempt 1 running since 00:00:00Z, claim goes stale at 00:05:30Z")

		v.put("x", "other", "undo")
		_, err = v.d.Retry(ref("x"), a.put)
		refused(v, err, flow.ErrUnknown, `finalizer "undo" of type "other" is not registered here; another build may own it`)

		b := new(store.Batch)
		b.Put(row.ClaimKey(ref("y")), []byte{1})
		b.Add(row.CountOwed, 1)
		v.commit(b)
		_, err = v.d.Retry(ref("y"), a.put)
		refused(v, err, store.ErrCorrupt, "claim of run y/")
		v.wrong = true

		if a.n != 0 {
			t.Errorf("audit records of refused acts: %q", a.texts)
		}
	})
}

// TestRetryTakesOver: an operator need not wait for the watchdog of a claim that
// is stale.
func TestRetryTakesOver(t *testing.T) {
	bubble(t, newWorld(hangs), func(v *env) {
		v.owe("a")
		v.die() // nobody drives from here on
		v.wait(330 * time.Second)
		d, err := teardown.New(teardown.Config{Store: v.s, Commit: fenced(v.s, v.epoch), Finalizer: v.c.Finalizer, Now: v.now})
		if err != nil {
			t.Fatal(err)
		}
		a := new(audits)
		out, err := d.Retry(ref("a"), a.put)
		if err != nil || out.Text != "teardown destroy-vm of a: attempt 1 ended without result; attempt 2 of 8 due now" {
			t.Errorf("%+v, %v", out, err)
		}
		v.check()
		commits := v.commits()
		out, err = d.Retry(ref("a"), a.put)
		if err != nil || !out.Unchanged || a.n != 1 || commits() != 0 {
			t.Errorf("again: %+v, %v, %d commits", out, err, commits())
		}
		v.open()
		v.wait(0)
		v.done("a", 2)
	})
}

// TestRetryOfTheLastLostAttempt ends in a dead letter.
func TestRetryOfTheLastLostAttempt(t *testing.T) {
	bubble(t, newWorld(append(failing(7), hangs)...), func(v *env) {
		v.owe("a")
		v.wait(4*time.Hour + 22*time.Minute)
		v.attempted("a", 8)
		v.die()
		v.wait(330 * time.Second)
		d, err := teardown.New(teardown.Config{Store: v.s, Commit: fenced(v.s, v.epoch), Finalizer: v.c.Finalizer, Now: v.now})
		if err != nil {
			t.Fatal(err)
		}
		a := new(audits)
		out, err := d.Retry(ref("a"), a.put)
		if err != nil || !strings.Contains(out.Text, "it was the last and is a dead letter now") {
			t.Errorf("%+v, %v", out, err)
		}
		v.counts(0, 1)
		_, err = d.Retry(ref("a"), a.put)
		refused(v, err, flow.ErrConflict, "is a dead letter: redrive it")
	})
}

func TestRedrive(t *testing.T) {
	bubble(t, newWorld(failing(9)...), func(v *env) {
		v.owe("a")
		v.long()
		v.counts(0, 1)
		a := new(audits)
		out, err := v.d.Redrive(ref("a"), teardown.Given{}, a.put)
		if err != nil || out.Text != "dead letter of a redriven: 8 attempts, last error: no" || a.n != 1 {
			t.Errorf("%+v, %v", out, err)
		}
		v.wait(0)
		v.counts(1, 0)
		if c := v.claim("a"); c.Attempts != 1 || c.OwedAt != flow.InstantOf(v.now()) {
			t.Errorf("claim %+v", c)
		}
		v.attempted("a", 9)
		v.wait(time.Minute)
		v.done("a", 10)
		if in := string(v.w.calls["a"][9].Input); in != `"vm-a"` {
			t.Errorf("called with %s", in)
		}
		_, err = v.d.Redrive(ref("a"), teardown.Given{}, a.put)
		refused(v, err, flow.ErrNotFound, "dead letter of run")
	})
}

func TestRedriveWithoutInput(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.dead("a")
		a := new(audits)
		_, err := v.d.Redrive(ref("a"), teardown.Given{}, a.put)
		refused(v, err, flow.ErrBadInput, "no recorded input: the clean-up cannot be rebuilt")
		_, err = v.d.Redrive(ref("a"), teardown.Given{Input: flow.Payload("{")}, a.put)
		refused(v, err, flow.ErrBadInput, "is not JSON")
		if a.n != 0 {
			t.Errorf("audit records of refused acts: %q", a.texts)
		}
		out, err := v.d.Redrive(ref("a"), teardown.Given{Input: flow.Payload(`"vm-7"`)}, a.put)
		if err != nil || !strings.Contains(out.Text, "redriven with a given input; the letter was {") || !strings.Contains(out.Text, "recorded state missing") {
			t.Errorf("%+v, %v", out, err)
		}
		v.wait(0)
		v.done("a", 1)
		if in := string(v.w.calls["a"][0].Input); in != `"vm-7"` {
			t.Errorf("called with %s", in)
		}
	})
}

// TestRedriveOfNothing: a letter that names no finalizer takes the operator's
// word for it.
func TestRedriveOfNothing(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		b := new(store.Batch)
		b.Put(row.DeadKey(ref("a")), row.EncodeLetter(row.Letter{LastError: "claim unreadable", At: 1, Claim: []byte{9}}))
		b.Add(row.CountDead, 1)
		v.commit(b)
		a := new(audits)
		_, err := v.d.Redrive(ref("a"), teardown.Given{Input: flow.Payload("1")}, a.put)
		refused(v, err, flow.ErrBadInput, "does not name its type and finalizer")
		if _, err := v.d.Redrive(ref("a"), teardown.Given{Type: typ, Finalizer: fin, Input: flow.Payload("1")}, a.put); err != nil {
			t.Error(err)
		}
		v.wait(0)
		v.done("a", 1)
	})
}

// TestRedriveConflict: a letter beside a claim shows both and does nothing.
func TestRedriveConflict(t *testing.T) {
	bubble(t, newWorld(failing(1)...), func(v *env) {
		v.wrong = true
		v.owe("a")
		b := new(store.Batch)
		b.Put(row.DeadKey(ref("a")), row.EncodeLetter(row.Letter{Type: typ, Finalizer: fin, Attempts: 8, LastError: "old", At: 1, Input: []byte("1")}))
		b.Add(row.CountDead, 1)
		v.commit(b)
		commits := v.commits()
		_, err := v.d.Redrive(ref("a"), teardown.Given{}, new(audits).put)
		refused(v, err, flow.ErrConflict, "(8 attempts, old) and a claim that is owed, attempt 2 of 8; nothing was done")
		if commits() != 0 {
			t.Errorf("%d commits", commits())
		}
		found, err := teardown.Check(v.s)
		if err != nil || len(found) != 1 || !strings.Contains(found[0].Text, "the run has a dead letter, too") {
			t.Errorf("check finds %v, %v", found, err)
		}
	})
}

// TestRedriveLate: a claim that appears between the look and the batch is not
// overwritten.
func TestRedriveLate(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		v.wrong = true
		v.dead("a")
		v.s.SetHook(func(*store.Batch) error {
			v.s.SetHook(nil)
			v.put("a", "other", fin)
			return nil
		})
		_, err := v.d.Redrive(ref("a"), teardown.Given{Input: flow.Payload("1")}, new(audits).put)
		refused(v, err, flow.ErrConflict, "and a claim that is owed, attempt 1 of 8; nothing was done")
		if c := v.claim("a"); c.Type != "other" {
			t.Errorf("claim %+v", c)
		}
	})
}

// TestNoLetterIsLost: a teardown that would become a dead letter beside another
// one waits until that is discarded.
func TestNoLetterIsLost(t *testing.T) {
	bubble(t, newWorld(failing(8)...), func(v *env) {
		v.owe("a")
		b := new(store.Batch)
		old := row.EncodeLetter(row.Letter{Type: typ, Finalizer: fin, Attempts: 8, LastError: "old", At: 1, Input: []byte("1")})
		b.Put(row.DeadKey(ref("a")), old)
		b.Add(row.CountDead, 1)
		v.commit(b)
		v.long()
		v.attempted("a", 8)
		if string(v.get(row.DeadKey(ref("a")))) != string(old) || v.claim("a").Token == "" {
			t.Error("the old letter was overwritten")
		}
		if !v.problem("has a dead letter and owes a teardown that is to become one") {
			t.Errorf("problems %q", v.problems)
		}
		if _, err := v.d.Discard(ref("a"), new(audits).put); err != nil {
			t.Error(err)
		}
		v.wait(31 * time.Second)
		if l, ok := v.letter("a"); !ok || l.Attempts != 8 || l.At == 1 {
			t.Errorf("letter %+v, %t", l, ok)
		}
		v.counts(0, 1)
	})
}

func TestDiscard(t *testing.T) {
	bubble(t, newWorld(failing(8)...), func(v *env) {
		v.owe("a")
		v.long()
		l, _ := v.letter("a")
		a := new(audits)
		if _, err := v.d.Discard(ref("a"), a.put); err != nil {
			t.Error(err)
		}
		v.counts(0, 0)
		if v.get(row.DeadKey(ref("a"))) != nil {
			t.Error("the letter is still there")
		}
		_, text, _ := strings.Cut(a.texts[0], ": ")
		var kept struct {
			flow.Dead
			OwedAt flow.Instant `json:"owedAt"`
		}
		if err := json.Unmarshal([]byte(text), &kept); err != nil || fmt.Sprint(kept.Dead) != fmt.Sprint(l.Dead(ref("a"))) || kept.OwedAt != l.OwedAt {
			t.Errorf("kept %+v of %+v, %v", kept, l, err)
		}
		raw := v.get(row.AuditKey(1))
		if rec, err := row.DecodeAudit(1, raw); err != nil || rec.Text != a.texts[0] {
			t.Errorf("audit record %+v, %v", rec, err)
		}
		_, err := v.d.Discard(ref("a"), a.put)
		refused(v, err, flow.ErrNotFound, "dead letter of run")
	})
}

// TestDiscardOfDamage: a letter that cannot be read can be discarded, and its
// bytes are kept.
func TestDiscardOfDamage(t *testing.T) {
	bubble(t, newWorld(), func(v *env) {
		b := new(store.Batch)
		b.Put(row.DeadKey(ref("a")), []byte{1, 0xab})
		b.Add(row.CountDead, 1)
		v.commit(b)
		a := new(audits)
		_, err := v.d.Redrive(ref("a"), teardown.Given{Input: flow.Payload("1")}, a.put)
		refused(v, err, store.ErrCorrupt, "dead letter")
		if _, err := v.d.Discard(ref("a"), a.put); err != nil || !strings.HasSuffix(a.texts[0], "bytes 01ab") {
			t.Errorf("%v, %q", err, a.texts)
		}
		v.counts(0, 0)
	})
}

// TestActsCollide: what changed between the look and the batch is looked at
// again; acts that always lose say so.
func TestActsCollide(t *testing.T) {
	bubble(t, newWorld(failing(1)...), func(v *env) {
		v.owe("a")
		v.wait(10 * time.Second)
		n := 0
		v.s.SetHook(func(b *store.Batch) error {
			if len(b.Conditions) == 0 {
				return nil
			}
			n++
			c := v.claim("a")
			next, _, _ := c.Next(flow.Turn{Event: flow.RetryClaim, Now: c.Due - 1, Token: fmt.Sprint("other", n)})
			other := new(store.Batch)
			other.Put(row.ClaimKey(ref("a")), row.EncodeClaim(next))
			other.Put(row.TeardownOf(ref("a"), next).Key(), nil)
			other.Delete(row.TeardownOf(ref("a"), c).Key())
			v.commit(other)
			return nil
		})
		a := new(audits)
		_, err := v.d.Retry(ref("a"), a.put)
		refused(v, err, flow.ErrConflict, "changed meanwhile")
		if v.rows(row.FamilyAudit) != 0 {
			t.Error("an act that did not happen has an audit record")
		}
		v.s.SetHook(nil)
		if _, err := v.d.Retry(ref("a"), a.put); err != nil {
			t.Error(err)
		}
		v.wait(0)
		v.done("a", 2)
	})
}

// TestActsAgainF079: ten retries at once make one attempt; after the end and
// after the dead letter they are refused and write nothing.
func TestActsAgainF079(t *testing.T) {
	w := newWorld(append(failing(1), deaf(time.Minute))...)
	bubble(t, w, func(v *env) {
		v.owe("a")
		v.wait(time.Second)
		for range 10 {
			go func() { _, _ = v.d.Retry(ref("a"), func(*store.Batch, string) {}) }()
		}
		synctest.Wait()
		v.attempted("a", 2)
		v.wait(time.Minute)
		v.done("a", 2)
		commits := v.commits()
		for range 10 {
			_, err := v.d.Retry(ref("a"), new(audits).put)
			refused(v, err, flow.ErrNotFound, "owed teardown")
		}
		if commits() != 0 || w.most != 1 {
			t.Errorf("%d commits, %d attempts at once", commits(), w.most)
		}
	})
}

// TestRefuseF025: a run whose teardown is owed stays; once it is done or a dead
// letter it may go, once.
func TestRefuseF025(t *testing.T) {
	bubble(t, newWorld(append(failing(8), works)...), func(v *env) {
		free := func() {
			t.Helper()
			owed, err := teardown.Pending(v.s, ref("x"))
			if refusal := teardown.Refuse(v.s, ref("x")); owed || err != nil || refusal != nil {
				t.Errorf("pending %t, %v; refusal %v", owed, err, refusal)
			}
			b := new(store.Batch)
			teardown.ExpectNone(b, ref("x"), 0)
			v.commit(b)
		}
		free()
		v.owe("x")
		var pending *flow.PendingError
		if err := teardown.Refuse(v.s, ref("x")); !errors.As(err, &pending) || pending.ID != "x" || pending.Finalizer != fin || pending.Attempts != 1 {
			t.Errorf("refusal %v", err)
		}
		if owed, err := teardown.Pending(v.s, ref("x")); !owed || err != nil {
			t.Errorf("pending %t, %v", owed, err)
		}
		b := new(store.Batch)
		teardown.ExpectNone(b, ref("x"), 0)
		if res, err := v.s.Commit(context.Background(), b); err != nil || res.Applied {
			t.Errorf("a purge went through: %+v, %v", res, err)
		}
		if err := teardown.Refuse(v.s, flow.Ref{ID: "x", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAW"}); err != nil {
			t.Errorf("another run of the id is refused: %v", err)
		}
		v.long()
		free()
		if _, err := v.d.Redrive(ref("x"), teardown.Given{}, new(audits).put); err != nil {
			t.Error(err)
		}
		v.wait(time.Minute)
		v.done("x", 9)
		free()
	})
}

// TestLetterHoldsNoIDF029: a dead letter neither blocks its id nor is lost when
// the id is used again.
func TestLetterHoldsNoIDF029(t *testing.T) {
	bubble(t, newWorld(failing(8)...), func(v *env) {
		v.owe("x")
		v.long()
		second := flow.Ref{ID: "x", Run: "01ARZ3NDEKTSV4RRFFQ69G5FAW"}
		if err := teardown.Refuse(v.s, ref("x")); err != nil {
			t.Errorf("refused: %v", err)
		}
		b := new(store.Batch) // the second run ends without state: dead at once
		tm := teardown.Owe(b, teardown.Debt{Ref: second, Type: typ, Finalizer: fin}, flow.InstantOf(v.now()))
		v.commit(b)
		v.d.Added(tm)
		v.wait(time.Second)
		letters, err := teardown.Letters(v.s, "x")
		if err != nil || fmt.Sprint(letters) != fmt.Sprint([]flow.Ref{ref("x"), second}) {
			t.Errorf("letters %v, %v", letters, err)
		}
		v.counts(0, 2)
		if _, err := v.d.Discard(second, new(audits).put); err != nil {
			t.Error(err)
		}
		if l, ok := v.letter("x"); !ok || l.LastError != "no" {
			t.Errorf("the first letter is %+v, %t", l, ok)
		}
	})
}
