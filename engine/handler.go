package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// handler is what the code does about an update, without types.
type handler struct {
	validate func(flow.Payload) error
	do       func(*Context, flow.Payload) (flow.Payload, error)
}

// update is one update while a branch handles it.
type update struct {
	step     flow.StepPath // "u3" for the third of the run
	name, id string
	input    flow.Payload
	digest   flow.Digest // of the request
	accepted flow.EventSeq
	at       flow.Instant
	// out and failure are the reply, once there is one.
	out     flow.Payload
	failure *flow.Failure
}

// put adds the row of the update to a batch, with its reply's event or 0.
func (u *update) put(b *store.Batch, ref flow.Ref, replied flow.EventSeq) {
	b.Put(row.UpdateKey(ref, u.id), row.EncodeUpdate(row.Update{Name: u.name, Digest: u.digest,
		Accepted: u.accepted, Replied: replied}))
}

// messages is what a life knows of updates and queries. Guarded by life.mu.
type messages struct {
	handlers  map[string]*handler
	answerers map[string]answerer
	accepted  int    // updates that the run has accepted
	early     []*act // updates whose handler the code has not set yet
	orphans   []string
	ghost     *ghost // the life only replays, to answer a query
}

// maxUpdates bounds the updates that a run handles at the same time.
const maxUpdates = 1000

// setHandler sets the handler of an update and lets those go on that have come
// too early.
func (c *Context) setHandler(name string, h *handler) {
	l := c.life
	l.mu.Lock()
	if f := l.block(c.branch, wording("handler of update "+name)); f != nil {
		misuse(f)
	}
	defer l.mu.Unlock()
	if l.def.updates[name] == nil {
		misuse(systemFailure(CodeMisuse, "update %s is handled but not declared: add it to Workflow.Updates of %s", name, l.def.name))
	}
	if l.handlers == nil {
		l.handlers = map[string]*handler{}
	}
	l.handlers[name] = h
	l.acts, l.early = append(l.early, l.acts...), nil
}

// beginUpdate opens the branch that validates an update, asks for its
// acceptance and handles it. The branch answers the act. mu is held, advancing
// is the caller's.
func (l *life) beginUpdate(a *act, r *updateRequest) error {
	h := l.handlers[r.name]
	if h == nil {
		l.early = append(l.early, a)
		return errLater
	}
	if n := len(l.unanswered()); n >= maxUpdates {
		return &flow.LimitError{Limit: "updates under way in one run", Got: n + 1, Max: maxUpdates}
	}
	b := l.updateBranch()
	answered := false
	answer := func(err error) {
		if !answered {
			answered = true
			a.done <- err
		}
	}
	b.refuse = func() { answer(errLeft) }
	b.run = func() {
		defer l.leaveBranch(b)
		defer answer(&flow.RejectedError{Name: r.name,
			Failure: systemFailure(CodeExit, "the validator of update %s ended its goroutine with runtime.Goexit", r.name)})
		if f := judged(func() error { return h.validate(r.input) }); f != nil {
			answer(&flow.RejectedError{Name: r.name, Failure: f})
			return
		}
		u, err := l.acceptUpdate(b, r)
		answer(err)
		if err == nil {
			l.handle(b, h, u)
		}
	}
	return errLater
}

// updateBranch opens the branch of the next update. It is the next to get the
// baton, so no other update is accepted before it.
func (l *life) updateBranch() *branch {
	b := newBranch("u" + strconv.Itoa(l.accepted+1) + ".")
	l.branches = append(l.branches, b)
	l.runnable = append(l.runnable, b)
	return b
}

func (l *life) leaveBranch(b *branch) {
	if l.leave(b) {
		l.eng.lifeEnded(l)
	}
}

// acceptUpdate records an update, in the branch that will handle it. Nothing of
// the run moves meanwhile: every other branch waits.
func (l *life) acceptUpdate(b *branch, r *updateRequest) (u *update, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err = l.alone(func(l *life) (err error) {
		if l.leaving != stay || l.endTooLong() {
			return errLeft
		}
		u, err = l.commitUpdate(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	b.update = u
	return u, nil
}

// commitUpdate commits the acceptance: event, row of the update, ready row. mu
// is held.
func (l *life) commitUpdate(r *updateRequest) (*update, error) {
	ev := flow.Event{Seq: l.seq + 1, Kind: flow.EventUpdate, At: flow.InstantOf(l.eng.now()),
		Step: flow.StepPath("u" + strconv.Itoa(l.accepted+1)), StepKind: flow.StepUpdate, Name: r.name,
		Digest: r.digest(), Output: r.input, UpdateID: r.id, Summary: l.summary}
	u := updateOf(ev)
	l.outside = true
	defer func() { l.outside = false }()
	var ready []byte
	err := l.commitExact(func(b *store.Batch) error {
		if old, err := acceptedIn(l.eng.store, l.ref, r.id); err != nil || old != nil {
			return errOr(err, errLeft) // another caller with the same id was faster
		}
		l.expectNext(b, ev.Seq)
		b.Put(row.EventKey(l.ref, ev.Seq), row.EncodeEvent(ev))
		u.put(b, l.ref, 0)
		ready = l.putReady(b)
		l.putStaged(b)
		if r.audit != nil {
			r.audit.Target, r.audit.Text = l.ref, "update "+r.name
			putAudit(b, r.audit)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.ready.adopt(ready, l.guard.at)
	l.stagedStored()
	l.seq, l.at, l.proven = ev.Seq, ev.At, true
	l.accepted++
	l.unrest()
	l.eng.tellUpdate(l, ev)
	return u, nil
}

func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// updateOf is the update that an event accepted.
func updateOf(ev flow.Event) *update {
	return &update{step: ev.Step, name: ev.Name, id: ev.UpdateID, input: ev.Output, digest: ev.Digest,
		accepted: ev.Seq, at: ev.At}
}

// replayUpdate opens the branch of an update that an earlier life accepted;
// false means that the code does not fit.
func (l *life) replayUpdate(ev flow.Event) bool {
	h := l.handlers[ev.Name]
	if want := flow.StepPath("u" + strconv.Itoa(l.accepted+1)); h == nil || ev.Step != want {
		l.mismatch(fmt.Sprintf("step %s: recorded update %s, the code has no handler for it there", ev.Step, ev.Name))
		return false
	}
	l.journal[l.next] = flow.Event{}
	l.next++
	l.stagedReplayed(ev)
	b := l.updateBranch()
	l.accepted++
	l.at = ev.At
	b.update = updateOf(ev)
	b.run = func() {
		defer l.leaveBranch(b)
		l.handle(b, h, b.update)
	}
	l.advancing = false
	l.giveNext()
	return true
}

// handle runs a handler and records its reply, in the update's branch. It does
// the latter in a deferred call, because code may end the goroutine.
func (l *life) handle(b *branch, h *handler, u *update) {
	ctx := &Context{life: l, branch: b}
	u.failure = systemFailure(CodeExit, "the handler of update %s ended its goroutine with runtime.Goexit", u.name)
	defer func() {
		if r := recover(); r != nil {
			u.out, u.failure = nil, panicFailure(r)
		}
		l.mu.Lock()
		told := b.exiting
		l.mu.Unlock()
		if !told {
			ctx.perform(&op{kind: flow.StepUpdate, step: u.step, name: u.name, digest: u.replyDigest(), startedAt: u.at, reply: u})
		}
	}()
	out, err := h.do(ctx, u.input)
	if err != nil {
		u.failure = failureOf(err) // may panic, too: the error is the user's
		return
	}
	u.out, u.failure = out, nil
}

// replyDigest fingerprints the reply, so that replay finds a handler that
// answers differently.
func (u *update) replyDigest() flow.Digest {
	if u.failure != nil {
		return flow.DigestOf([]byte("failed"), []byte(u.failure.Code))
	}
	return flow.DigestOf([]byte("replied"), u.out)
}

// unanswered are the updates that were accepted and have no reply. mu is held.
func (l *life) unanswered() []string {
	if l.orphans != nil {
		return l.orphans
	}
	var out []string
	for _, b := range l.branches {
		if b.update != nil {
			out = append(out, b.update.name+" "+string(b.update.step))
		}
	}
	return out
}

// left says what a run that ends now leaves undone. mu is held.
func (l *life) left() string {
	var parts []string
	count := map[string]int{}
	var names []string
	for _, s := range l.signals.queue {
		if count[s.Name]++; count[s.Name] == 1 {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%d unread %s", count[name], name))
	}
	for _, u := range l.unanswered() {
		parts = append(parts, "no reply to "+u)
	}
	return cut(strings.Join(parts, ", "), 1000)
}

// HandlersDone reports whether every accepted update but the caller's own has
// its reply. It is a condition for [Context.WaitUntil].
func (c *Context) HandlersDone() bool {
	l := c.life
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.branches {
		if b.update != nil && b != c.branch {
			return false
		}
	}
	return true
}

// FinishHandlers waits until every accepted update has its reply. Code that
// returns while handlers are under way abandons them; their callers are told
// that the run ended before it replied.
func (c *Context) FinishHandlers() error { return c.WaitUntil(c.HandlersDone) }
