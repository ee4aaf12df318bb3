package teardown_test

import (
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
		if commits() != 0 || w.mostAtOnce() != 1 {
			t.Errorf("%d commits, %d attempts at once", commits(), w.mostAtOnce())
		}
	})
}
