package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"weft/engine"
	"weft/flow"
)

// instr is one instruction of a program: workflow code as data, so that tests
// can make programs up and change them.
type instr struct {
	op    string // act, sleep, take, takeFor, memo, log, sum, now, rand, id
	name  string
	n     int           // act: input
	d     time.Duration // sleep, takeFor: how long; act: how long it works
	fails int           // act: attempts that fail before it succeeds
	how   string        // act: "", "permanent", "slow" (its attempts time out), "panic"
}

// path is what the journal should say of the instruction as step i; "" when it
// is no step.
func (in instr) path(i int) string {
	switch in.op {
	case "act":
		return fmt.Sprintf("%d activity %s", i, in.name)
	case "sleep":
		return fmt.Sprintf("%d sleep ", i)
	case "take", "takeFor":
		return fmt.Sprintf("%d signal %s", i, in.name)
	case "memo":
		return fmt.Sprintf("%d memo %s", i, in.name)
	}
	return ""
}

const attemptsOfAct = 3

// program is a list of instructions; its result tells the outcome of each.
type program []instr

// trace is the journal a complete run of p leaves.
func (p program) trace() []string {
	var out []string
	for _, in := range p {
		if s := in.path(len(out) + 1); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// result is what p must return, found without an engine.
func (p program) result() string {
	taken := map[string]int{}
	var out []string
	for _, in := range p {
		switch in.op {
		case "act":
			out = append(out, in.outcome())
		case "sleep":
			out = append(out, "slept "+in.d.String())
		case "take":
			taken[in.name]++
			out = append(out, fmt.Sprintf("took %s#%d", in.name, taken[in.name]))
		case "takeFor":
			out = append(out, "nothing of "+in.name)
		case "memo":
			out = append(out, "memo of "+in.name)
		}
	}
	return strings.Join(out, "; ")
}

func (in instr) outcome() string {
	switch {
	case in.how == "permanent" && in.fails > 0:
		return in.name + " failed with permanent refusal"
	case in.fails < attemptsOfAct:
		return fmt.Sprintf("%s(%d)", in.name, in.n)
	case in.how == "slow":
		return in.name + " failed with attempt-timeout"
	case in.how == "panic":
		return in.name + " failed with panic"
	}
	return in.name + " failed with refusal"
}

// needs is how many signals of each name p takes.
func (p program) needs() map[string]int {
	out := map[string]int{}
	for _, in := range p {
		if in.op == "take" {
			out[in.name]++
		}
	}
	return out
}

// stage runs programs and keeps what must be seen from outside: what activities
// did, and what the helpers gave.
type stage struct {
	mu      sync.Mutex
	effects map[string]int // by idempotency key and attempt
	helpers map[string]string
	faults  []string
	begun   int // attempts
	// unreal, when set, says that what happens now will not have happened.
	unreal func() bool
}

func newStage() *stage { return &stage{effects: map[string]int{}, helpers: map[string]string{}} }

func (s *stage) fault(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

// once checks that a helper gives in each life what it gave in the first.
func (s *stage) once(ref flow.Ref, place, value string) {
	if s.unreal != nil && s.unreal() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := ref.String() + " " + place
	if old, known := s.helpers[key]; known && old != value {
		s.faults = append(s.faults, fmt.Sprintf("%s gave %s, and %s in a later life", key, old, value))
	}
	s.helpers[key] = value
}

func (s *stage) attempts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// worst is the largest number of times that one attempt was made.
func (s *stage) worst() (most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.effects {
		most = max(most, n)
	}
	return most
}

// workflow makes p the code of the type "program".
func (s *stage) workflow(p program) engine.Workflow[int, string] {
	return engine.Workflow[int, string]{Name: "program", Version: "1",
		Do: func(ctx *engine.Context, _ int) (string, error) {
			var out []string
			for i, in := range p {
				text, err := s.run(ctx, i, in)
				if err != nil {
					return "", err
				}
				if text != "" {
					out = append(out, text)
				}
			}
			return strings.Join(out, "; "), nil
		}}
}

func (s *stage) run(ctx *engine.Context, i int, in instr) (string, error) {
	switch in.op {
	case "act":
		return s.act(ctx, in), nil
	case "sleep":
		return "slept " + in.d.String(), ctx.Sleep(in.d)
	case "take":
		text, err := engine.Signal[string]{Name: in.name}.Wait(ctx)
		return "took " + text, err
	case "takeFor":
		text, ok, err := engine.Signal[string]{Name: in.name}.WaitFor(ctx, in.d)
		if ok {
			return "took " + text, err
		}
		return "nothing of " + in.name, err
	case "memo":
		return engine.Memo(ctx, in.name, func() (string, error) { return "memo of " + in.name, nil })
	case "log":
		ctx.Log().Info(in.name)
	case "sum":
		ctx.SetSummary("at %d", i)
	case "now":
		s.once(ctx.Ref(), fmt.Sprint("now ", i), ctx.Now().String())
	case "rand":
		s.once(ctx.Ref(), fmt.Sprint("random ", i), fmt.Sprint(ctx.Random().Uint64()))
	case "id":
		s.once(ctx.Ref(), fmt.Sprint("id ", i), ctx.NewID())
	}
	return "", nil
}

func (s *stage) act(ctx *engine.Context, in instr) string {
	a := engine.Activity[int, string]{Name: in.name, Timeout: 20 * time.Second,
		Do: func(ctx context.Context, n int) (string, error) { return s.work(ctx, in, n) }}
	out, err := a.Run(ctx, in.n)
	var f *flow.Failure
	switch {
	case err == nil:
		return out
	case !errors.As(err, &f):
		s.fault("%s: error %T is no failure", in.name, err)
	case f.Code == "":
		return in.name + " failed with " + f.Message
	}
	return in.name + " failed with " + f.Code
}

func (s *stage) work(ctx context.Context, in instr, n int) (string, error) {
	about := engine.InfoOf(ctx)
	s.mu.Lock()
	s.begun++
	s.effects[fmt.Sprintf("%s attempt %d", about.Key, about.Attempt)]++
	s.mu.Unlock()
	bad := about.Attempt <= in.fails
	pause := in.d
	if bad && in.how == "slow" {
		pause = time.Minute
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-time.After(pause):
	}
	switch {
	case bad && in.how == "permanent":
		return "", engine.Permanent(errors.New("permanent refusal"))
	case bad && in.how == "panic":
		panic("script")
	case bad:
		return "", errors.New("refusal")
	}
	return fmt.Sprintf("%s(%d)", in.name, n), nil
}

// randomProgram makes a program up.
func randomProgram(rng *rand.Rand, size int) program {
	p := make(program, 0, size)
	for range size {
		p = append(p, randomInstr(rng))
	}
	return p
}

func randomInstr(rng *rand.Rand) instr {
	pick := func(s ...string) string { return s[rng.IntN(len(s))] }
	span := func(d ...time.Duration) time.Duration { return d[rng.IntN(len(d))] }
	switch op := pick("act", "act", "act", "sleep", "take", "take", "takeFor", "memo", "log", "sum", "now", "rand", "id"); op {
	case "act":
		in := scripted(pick("a", "b", "c"), rng.IntN(6))
		in.d = span(0, 0, time.Millisecond, 3*time.Second)
		return in
	case "sleep":
		return instr{op: op, d: span(0, time.Millisecond, 700*time.Millisecond, time.Second, 2*time.Second, time.Minute)}
	case "takeFor":
		return instr{op: op, name: "never-" + pick("x", "y"), d: span(0, 300*time.Millisecond, 5*time.Second, 2*time.Minute)}
	default:
		return instr{op: op, name: pick("x", "y")}
	}
}

// scripted is an activity whose fate depends on its name and input alone, as a
// change of code that replay cannot see must not change it.
func scripted(name string, n int) instr {
	in := instr{op: "act", name: name, n: n}
	switch (int(name[0]) + n) % 8 {
	case 1:
		in.fails = 1
	case 2:
		in.fails, in.how = 2, "slow"
	case 3:
		in.fails, in.how = 1, "permanent"
	case 4:
		in.fails, in.how = attemptsOfAct, "panic"
	case 5:
		in.fails, in.how = attemptsOfAct, "slow"
	case 6:
		in.fails = attemptsOfAct
	}
	return in
}

// mutate changes p as people change code.
func (p program) mutate(rng *rand.Rand) (q program, what string) {
	q = slices.Clone(p)
	i := rng.IntN(len(q))
	switch rng.IntN(7) {
	case 0:
		return slices.Delete(q, i, i+1), fmt.Sprintf("without %d", i)
	case 1:
		return slices.Insert(q, i, randomInstr(rng)), fmt.Sprintf("insertion at %d", i)
	case 2:
		j := rng.IntN(len(q))
		q[i], q[j] = q[j], q[i]
		return q, fmt.Sprintf("%d and %d swapped", i, j)
	case 3:
		q[i].name, q[i].d = "other", q[i].d+time.Second
		return q, fmt.Sprintf("another name and time at %d", i)
	case 4:
		q[i].n += 7
		return q, fmt.Sprintf("another input at %d", i)
	case 5:
		return q[:i], fmt.Sprintf("return at %d", i)
	default:
		q[i] = randomInstr(rng)
		return q, fmt.Sprintf("replacement at %d", i)
	}
}
