package engine

import (
	"errors"
	"fmt"
	"strconv"
)

// group is a set of branches that one step of a branch opens. The step has no
// event: that the branches exist follows from the code.
type group struct {
	ctx    *Context
	prefix string // of the branches' prefixes, "4."
	opened int
	ended  []int // indexes of branches that are through, not yet taken
	waits  bool  // the opener waits for the next one
}

// open begins a group at the next step. It does not return when the code has to
// leave.
func open(ctx *Context, what string) *group {
	l, b := ctx.life, ctx.branch
	l.mu.Lock()
	if f := l.block(b, wording(what)); f != nil {
		misuse(f)
	}
	defer l.mu.Unlock()
	return &group{ctx: ctx, prefix: string(b.nextStep()) + "."}
}

// start opens the next branch of the group. It gets the baton when the others
// before it, and the opener, have blocked. exited is called when code ends the
// branch's goroutine with Goexit.
func (g *group) start(f func(*Context), exited func(error)) {
	l := g.ctx.life
	l.mu.Lock()
	defer l.mu.Unlock()
	i := g.opened
	g.opened++
	b := newBranch(g.prefix + strconv.Itoa(g.opened) + ".")
	ctx := &Context{life: l, branch: b, saga: g.ctx.saga}
	b.run = func() {
		returned := false
		defer func() {
			l.mu.Lock()
			told := b.exiting || l.leaving != stay
			if !returned && !told {
				exited(systemFailure(CodeExit, "%s ended its goroutine with runtime.Goexit", b))
			}
			if !told || returned {
				g.done(i)
			}
			l.mu.Unlock()
			if l.leave(b) {
				l.eng.lifeEnded(l)
			}
		}()
		f(ctx)
		returned = true
	}
	l.branches = append(l.branches, b)
	l.runnable = append(l.runnable, b)
}

// done notes that a branch is through and makes the opener runnable if it
// waits. life.mu is held.
func (g *group) done(i int) {
	g.ended = append(g.ended, i)
	if g.waits {
		g.waits = false
		g.ctx.life.runnable = append(g.ctx.life.runnable, g.ctx.branch)
	}
}

// next waits until another branch is through and answers its index. Replay
// answers the same, because events are delivered in the same order.
func (g *group) next() int {
	l, b := g.ctx.life, g.ctx.branch
	l.mu.Lock()
	if f := l.block(b, wording("wait for a branch")); f != nil {
		misuse(f)
	}
	if len(g.ended) == 0 {
		g.waits, b.busy = true, true
		l.handOver()
		l.mu.Unlock()
		l.await(b, nil)
		l.mu.Lock()
		b.busy = false
	}
	i := g.ended[0]
	g.ended = g.ended[1:]
	l.mu.Unlock()
	return i
}

// abandon ends the branches that are not through.
func (g *group) abandon() {
	l := g.ctx.life
	l.mu.Lock()
	defer l.mu.Unlock()
	l.abandon(g.prefix)
}

// protect runs a branch's function; a panic is a failure, as it is in an
// activity.
func protect[T any](ctx *Context, f func(*Context) (T, error)) (v T, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if r := recover(); r != nil {
			var zero T
			v, err = zero, panicFailure(r)
		}
	}()
	v, err = f(ctx)
	returned = true
	return v, err
}

// Future is a branch that [Go] opened.
type Future[T any] struct {
	g     *group
	ready bool
	v     T
	err   error
}

// Go runs f in a branch of its own, beside the caller. f gets a context of its
// own and must use that one. The branch begins when the caller next waits. A
// branch that nobody awaited when the run ends is abandoned.
//
// Branches do not run at the same time: one runs until it waits, then the next.
// So they may share variables without locks; what is parallel is the waiting,
// for activities, timers, signals.
func Go[T any](ctx *Context, f func(*Context) (T, error)) *Future[T] {
	fut := &Future[T]{g: open(ctx, "go")}
	fut.g.start(func(c *Context) { fut.v, fut.err = protect(c, f) }, func(err error) { fut.err = err })
	return fut
}

// Await waits for the branch and returns what its function returned. It may be
// called again, by the branch that called [Go].
func (f *Future[T]) Await(ctx *Context) (T, error) {
	if ctx.branch != f.g.ctx.branch { // the context may be another one: that of a saga, for one
		var zero T
		return zero, systemFailure(CodeMisuse, "a future of %s is awaited by %s", f.g.ctx.branch, ctx.branch)
	}
	if !f.ready {
		f.g.next()
		f.ready = true
	}
	return f.v, f.err
}

// All runs the functions side by side and waits for every one, also after a
// failure. The results are in the order of the functions; the error joins all
// failures, and the results of the others are there all the same. A function that
// panics has failed, with [CodePanic].
func All[T any](ctx *Context, fs ...func(*Context) (T, error)) ([]T, error) {
	out, errs := make([]T, len(fs)), make([]error, len(fs))
	g := open(ctx, "all")
	for i, f := range fs {
		g.start(func(c *Context) { out[i], errs[i] = protect(c, f) }, func(err error) { errs[i] = err })
	}
	for range fs {
		g.next()
	}
	return out, errors.Join(errs...)
}

// ErrNoBranches: a race without functions has no winner.
var ErrNoBranches = errors.New("a race needs at least one function")

// Race runs the functions side by side; the first to return, with a result or
// an error, decides, and its index is returned. The others are abandoned: the
// contexts of their activities end, their timers are removed, signals they
// waited for stay. Of what came while the process was down, what came first
// decides. Without functions it fails with [ErrNoBranches].
func Race[T any](ctx *Context, fs ...func(*Context) (T, error)) (T, int, error) {
	out, errs := make([]T, len(fs)), make([]error, len(fs))
	if len(fs) == 0 {
		var zero T
		return zero, -1, ErrNoBranches
	}
	g := open(ctx, "race")
	for i, f := range fs {
		g.start(func(c *Context) { out[i], errs[i] = protect(c, f) }, func(err error) { errs[i] = err })
	}
	won := g.next()
	g.abandon()
	return out[won], won, errs[won]
}

// Map runs f for every element, at most width at a time (0 means all): as one
// is through, the next begins. It waits for all; results and error are as those
// of [All]. At most 2,000 operations wait at once in a run: more elements than
// that need a width.
func Map[I, O any](ctx *Context, width int, in []I, f func(*Context, I) (O, error)) ([]O, error) {
	if width < 0 {
		return nil, fmt.Errorf("map: width %d is negative", width)
	}
	if width == 0 {
		width = len(in)
	}
	out, errs := make([]O, len(in)), make([]error, len(in))
	g := open(ctx, "map")
	begin := func(i int) {
		g.start(func(c *Context) {
			out[i], errs[i] = protect(c, func(c *Context) (O, error) { return f(c, in[i]) })
		}, func(err error) { errs[i] = err })
	}
	for i := range min(width, len(in)) {
		begin(i)
	}
	for n := range in {
		g.next()
		if next := n + width; next < len(in) {
			begin(next)
		}
	}
	return out, errors.Join(errs...)
}
