package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"weft/engine/row"
	"weft/flow"
)

// ghost is what makes a life one that only replays, to answer one query. It is
// not among the lives of the engine, never commits and begins nothing: what its
// code does beyond the journal is waited for by nobody.
type ghost struct {
	query  flow.Ask
	status flow.Status // of the run when it was read
	got    chan answer // capacity 1
}

type answer struct {
	out flow.Payload
	err error
}

// maxAsks bounds the queries that are answered at the same time.
const maxAsks = 32

// asks are the ghosts under way, also those whose question was given up and
// whose code has not ended.
type asks struct {
	mu   sync.Mutex
	set  map[*life]struct{}
	free chan struct{} // capacity 1: a place became free
}

// enter launches a ghost, once there is a place for it.
func (s *asks) enter(ctx context.Context, e *Engine, l *life, limit <-chan time.Time) error {
	for {
		if s.admit(e, l) {
			return nil
		}
		select {
		case <-s.room():
		case <-limit:
			return &flow.OverrunError{Ref: l.ref, Name: l.ghost.query.Name,
				Limit: queryLimit.String() + fmt.Sprintf(" of waiting: %d queries are under way", maxAsks)}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.closing:
			return flow.ErrClosed
		case <-e.dead:
			return e.halted()
		}
	}
}

func (s *asks) room() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free == nil {
		s.free = make(chan struct{}, 1)
	}
	return s.free
}

func (s *asks) admit(e *Engine, l *life) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.set) >= maxAsks || !e.lives.visit() {
		return false
	}
	if s.set == nil {
		s.set = map[*life]struct{}{}
	}
	s.set[l] = struct{}{}
	e.launch(l.main)
	return true
}

func (s *asks) leave(l *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.set, l)
	if s.free != nil {
		select {
		case s.free <- struct{}{}:
		default:
		}
	}
}

// names says which queries are under way.
func (s *asks) names() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.set {
		out = append(out, fmt.Sprintf("query %s of run %s", l.ghost.query.Name, l.ref))
	}
	return out
}

// conjure reads a run into a ghost, or says why its code cannot be asked.
func (e *Engine) conjure(q flow.Ask) (*life, error) {
	snap, err := e.store.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	head, g, err := headIn(snap, q.Target.ID)
	ref := flow.Ref{ID: q.Target.ID, Run: head.Run}
	switch {
	case err != nil:
		return nil, err
	case g.raw == nil:
		return nil, &flow.NotFoundError{What: "workflow", Name: string(q.Target.ID)}
	case q.Target.Run != "" && q.Target.Run != head.Run:
		return nil, &flow.NotFoundError{What: "run", Name: q.Target.String()}
	}
	if err := e.reachable(ref, head); err != nil {
		return nil, err
	}
	def := e.types[head.Type]
	switch {
	case def.queries[q.Name] == nil:
		return nil, unknownMessage("query", head.Type, q.Name, def.queries)
	case head.StartedAt == 0 || head.Status == flow.Pending:
		return nil, &flow.UnreachableError{Ref: ref, Why: "has not begun"}
	case head.Status == flow.Suspended && head.Cause == flow.CrashLoop:
		return nil, &flow.UnreachableError{Ref: ref, Why: "is suspended because it may end the process that runs it"}
	}
	if err := e.weigh(q.Input, cargo{ref: ref, typ: head.Type, kind: "query", name: q.Name}); err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	l := e.newLife(ref, def, row.Head{}, nil)
	l.ghost = &ghost{query: q, status: head.Status, got: make(chan answer, 1)}
	l.head = head
	if err := l.readJournal(snap); err != nil {
		return nil, err
	}
	return l, nil
}

// answer answers the query, once the journal is used up and the code waits. mu
// is held, and released while the code answers; advancing is the caller's.
func (g *ghost) answer(l *life) {
	if l.replaying() {
		g.unfit(l, "recorded events remain unread")
		return
	}
	f := l.answerers[g.query.Name]
	l.mu.Unlock()
	got := answer{err: &flow.UnreachableError{Ref: l.ref, Why: "has not come to where its code answers query " + g.query.Name}}
	if f != nil {
		got = g.call(l, f)
	}
	l.mu.Lock()
	g.give(l, got)
}

// call runs the code's answer in a goroutine of its own, which code may end, and
// waits for it: the rest of the code must not move meanwhile.
func (g *ghost) call(l *life, f answerer) (got answer) {
	done := make(chan struct{})
	l.eng.wg.Go(func() {
		defer close(done)
		failure := systemFailure(CodeExit, "the answer to query %s ended its goroutine with runtime.Goexit", g.query.Name)
		defer func() {
			if r := recover(); r != nil {
				failure = panicFailure(r)
			}
			if failure != nil {
				got = answer{err: failure}
			}
		}()
		out, err := f(g.query.Input)
		if err != nil {
			failure = failureOf(err)
			return
		}
		if err := l.eng.weigh(out, cargo{ref: l.ref, typ: l.def.name, kind: "query answer", name: g.query.Name}); err != nil {
			failure = systemFailure(CodeEncoding, "query %s: answer: %v", g.query.Name, err)
			return
		}
		failure, got = nil, answer{out: out}
	})
	<-done
	return got
}

// ended answers when the code has returned. mu is held, advancing is nobody's.
func (g *ghost) ended(l *life, failure *flow.Failure) {
	l.advancing, l.current = true, nil // the answer may not begin operations
	defer func() { l.advancing = false; l.calm.Broadcast() }()
	if problem := l.unread(failure); problem != "" {
		g.unfit(l, problem)
		return
	}
	if failure != nil && !g.status.Terminal() {
		g.give(l, answer{err: &flow.UnreachableError{Ref: l.ref, Why: "cannot be asked, its code fails: " + failure.Message}})
		return
	}
	g.answer(l)
}

// unfit gives up because the code does not fit what is recorded.
func (g *ghost) unfit(l *life, problem string) {
	g.give(l, answer{err: &flow.UnreachableError{Ref: l.ref, Why: "cannot be asked, its code no longer fits: " + problem}})
}

// give hands the answer over and lets the code leave. mu is held.
func (g *ghost) give(l *life, a answer) {
	select {
	case g.got <- a:
	default: // it was given up, and the code ended meanwhile
	}
	l.dismissLocked(leaveClosed)
}
