package teardown_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
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
		if in := string(v.w.call("a", 9).Input); in != `"vm-a"` {
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
		if in := string(v.w.call("a", 0).Input); in != `"vm-7"` {
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
