package engine

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Complete tells the result of an attempt that was left to somebody outside.
// When it returns nil the outcome is durable and the token is used up. A token
// that is late, foreign, used or forged is refused with a [*flow.TokenError]
// and changes nothing; after any other error the token is still good.
func (a Activity[I, O]) Complete(ctx context.Context, e *Engine, token flow.Token, out O) error {
	p, err := encode(out)
	if err != nil {
		return fmt.Errorf("complete activity %s: %w", a.Name, err)
	}
	_, err = e.reply(ctx, &reply{token: token, name: a.Name, output: p})
	return wrapReply("complete", a.Name, err)
}

// Fail tells that such an attempt failed. The activity's retry policy applies:
// err may be a [Fail] with a code, or [Permanent]. Otherwise it is like
// Complete.
func (a Activity[I, O]) Fail(ctx context.Context, e *Engine, token flow.Token, err error) error {
	if err == nil {
		return fmt.Errorf("fail activity %s: needs an error", a.Name)
	}
	_, refused := e.reply(ctx, &reply{token: token, name: a.Name, failure: failureOf(err)})
	return wrapReply("fail", a.Name, refused)
}

// Beat tells that such an attempt is under way: HeartbeatTimeout counts anew.
// details are for the next attempt ([Details]); nil leaves what there is. When
// it returns nil both are durable.
func (a Activity[I, O]) Beat(ctx context.Context, e *Engine, token flow.Token, details any) error {
	r := &reply{token: token, name: a.Name, beat: true}
	if details != nil {
		p, err := encode(details)
		if err != nil {
			return fmt.Errorf("heartbeat of activity %s: %w", a.Name, err)
		}
		r.details = p
	}
	_, err := e.reply(ctx, r)
	return wrapReply("heartbeat of", a.Name, err)
}

func wrapReply(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s activity %s: %w", verb, name, err)
}

// reply is what somebody outside tells of an attempt.
type reply struct {
	token   flow.Token
	name    string // of the activity; "" when the caller does not know it
	beat    bool
	output  flow.Payload
	failure *flow.Failure
	details flow.Payload
	audit   *flow.Audit

	step   flow.StepPath
	secret string
}

// doReply does an operator's deed. A result must fit the activity, as far as
// the run's code can be looked at here.
func (e *Engine) doReply(ctx context.Context, act flow.Act) (flow.Receipt, error) {
	r := &reply{}
	a := e.newAudit(act)
	var err error
	switch d := act.Deed.(type) {
	case flow.CompleteActivity:
		r.token, r.output, a.Text = d.Token, d.Output, "completed"
		if len(r.output) == 0 {
			r.output = flow.Payload("null")
		}
		err = checkJSON("result of the activity", r.output)
	case flow.FailActivity:
		r.token, a.Text = d.Token, "failed: "+cut(d.Message, 200)
		r.failure = &flow.Failure{Code: d.Code, Category: flow.Application, Message: cut(d.Message, maxText), Permanent: d.Permanent}
	case flow.BeatActivity:
		r.token, r.beat, r.details, a.Text = d.Token, true, d.Details, "heartbeat"
		if r.details != nil {
			err = checkJSON("details", r.details)
		}
	}
	if err != nil {
		return flow.Receipt{}, err
	}
	r.audit = a
	ref, err := e.reply(ctx, r)
	return flow.Receipt{Ref: ref, Audit: a.Number, Text: a.Text}, err
}

// reply brings what was told into the run. It is an act at the run's block
// point, so it meets no commit of the run half way.
func (e *Engine) reply(ctx context.Context, r *reply) (ref flow.Ref, err error) {
	if err := e.takesCalls(); err != nil {
		return flow.Ref{}, err
	}
	if ref, r.step, r.secret, err = r.token.Parse(); err != nil {
		return ref, err
	}
	_, err = e.settle(ctx, settlement{target: ref, outside: true, gentle: true,
		now:    e.o.Mode != flow.ModeRun, // all that counts is on disk
		code:   r.name == "" && r.failure == nil && !r.beat,
		allows: func(flow.Ref, row.Head) error { return nil },
		do: func(l *life, _ bool) error {
			if r.beat {
				return l.replyBeat(r)
			}
			return l.replyEnd(r)
		}})
	switch {
	case errors.Is(err, flow.ErrNotFound), errors.Is(err, flow.ErrFinished):
		return ref, &flow.TokenError{Ref: ref, Step: r.step, Cause: err}
	case err != nil:
		return ref, err
	}
	if !r.beat {
		e.wake(ref)
	}
	return ref, nil
}

// promised finds what a token stands for: the wait row, and the operation when
// the run's code is in memory.
func (l *life) promised(r *reply) (o *op, w row.Wait, err error) {
	refuse := func(problem string) error { return &flow.TokenError{Ref: l.ref, Step: r.step, Problem: problem} }
	if l.leaving == stay && !l.cold {
		if o = l.find(r.step); o != nil {
			w = l.waitOf(o, o.stored != nil && o.stored.Timed)
		}
	} else {
		w = l.waits[r.step]
	}
	switch {
	case w.Later == nil || w.Later.Token == "":
		return nil, w, refuse("no outcome from outside is waited for (any more)")
	case subtle.ConstantTimeCompare([]byte(w.Later.Token), []byte(r.secret)) != 1:
		return nil, w, refuse("it is not the token of the attempt that is waited for")
	case r.name != "" && r.name != w.Name:
		return nil, w, refuse(fmt.Sprintf("it belongs to activity %s, not %s", w.Name, r.name))
	case w.Later.Handed && w.Due != 0 && !l.eng.now().Before(w.Due.Time()):
		return nil, w, refuse("the attempt's time was up at " + w.Due.String())
	}
	raw, err := l.eng.store.Get(row.AnswerKey(l.ref, r.step))
	if err != nil {
		return nil, w, err
	}
	if told, err := row.DecodeAnswer(raw); err == nil && told.Token == r.secret {
		return nil, w, refuse("the outcome was told before")
	}
	return o, w, nil
}

// checkResult holds a result that a person gave against what the activity
// returns.
func checkResult(r *reply, o *op) error {
	if r.name != "" || r.failure != nil || o == nil {
		return nil
	}
	var check context.Context // none: see Activity.do
	_, err := o.activity.fn.do(check, r.output)
	return err
}

// weighTold judges a payload from outside. The token stays good when it is refused.
func (l *life) weighTold(r *reply, w row.Wait, p flow.Payload, kind string) error {
	if err := l.eng.weigh(p, cargo{l.ref, l.head.Type, r.step, kind, w.Name}); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return nil
}

// replyEnd records the outcome of an attempt. mu is held, advancing is the
// caller's.
func (l *life) replyEnd(r *reply) error {
	o, w, err := l.promised(r)
	if err != nil {
		return err
	}
	if err := checkResult(r, o); err != nil {
		return err
	}
	if err := l.weighTold(r, w, r.output, "activity result"); err != nil {
		return err
	}
	told := row.Answer{Token: r.secret, At: flow.InstantOf(l.eng.now()), Output: r.output, Failure: r.failure}
	var ready []byte
	if err := l.commitExact(func(b *store.Batch) error {
		ready = nil
		b.Put(row.AnswerKey(l.ref, r.step), row.EncodeAnswer(told))
		if l.head.Status == flow.Running {
			ready = l.putReady(b)
		}
		l.auditReply(b, r)
		return nil
	}); err != nil {
		return err
	}
	l.ready.adopt(ready, l.guard.at)
	if l.answers == nil {
		l.answers = answers{}
	}
	l.answers[r.step] = told
	l.overtake(r.step)
	l.eng.tell(flow.Notice{Kind: flow.NoticeSignal, Ref: l.ref, Type: l.head.Type, Step: r.step,
		Text: "outcome of activity " + w.Name + " told from outside", Failed: r.failure != nil})
	return nil
}

func (l *life) auditReply(b *store.Batch, r *reply) {
	if r.audit != nil {
		r.audit.Target = l.ref
		putAudit(b, r.audit)
	}
}

// overtake ends what this process still does for an attempt whose outcome was
// told: its function, and an outcome that came a moment later.
func (l *life) overtake(step flow.StepPath) {
	for _, a := range slices.Clone(l.attempts) {
		if a.op.step != step || a.op.running != a {
			continue
		}
		a.mu.Lock()
		a.over = true
		a.mu.Unlock()
		a.cancel(errToldOutside)
		a.op.running = nil
		l.attempts = without(l.attempts, a)
	}
	if o := l.find(step); o != nil {
		o.running = nil
		l.inbox = slices.DeleteFunc(l.inbox, func(c outcome) bool { return c.op == o })
	}
}

// errToldOutside cancels an attempt whose outcome was told from outside.
var errToldOutside = errors.New("the outcome was told from outside")
