package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/pebble"
)

// What the parent tells the child by its environment.
const (
	envDir  = "WEFT_TORTURE_DIR"  // the store; empty: this is no child
	envLife = "WEFT_TORTURE_LIFE" // number of the child, part of the ids it starts
	envLast = "WEFT_TORTURE_LAST" // set: start nothing new, end when all has ended
)

// child runs workflows on the store until it is killed, and says on stdout what
// it has been promised, once it has been.
type child struct {
	eng  *engine.Engine
	life string
	// sent counts the signals that this child has sent to each run.
	sent map[flow.WorkflowID]int
}

func say(format string, args ...any) {
	// One write a line: a kill leaves no half of one behind another.
	_, _ = os.Stdout.WriteString(fmt.Sprintf(format, args...) + "\n")
}

func beChild(dir string) error {
	s, err := pebble.Open(pebble.Options{Dir: dir, Create: true})
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	ctx := context.Background()
	e, err := engine.Open(ctx, s, engine.Options{Workflows: []engine.Definition{mixed},
		Grace: 100 * time.Millisecond, MaxRecoveries: 10_000})
	if err != nil {
		return fmt.Errorf("open the engine: %w", err)
	}
	c := &child{eng: e, life: os.Getenv(envLife), sent: map[flow.WorkflowID]int{}}
	info, err := e.Operator().Info(ctx)
	if err != nil {
		return err
	}
	say("open %d", info.Lease.Epoch)
	if os.Getenv(envLast) == "" {
		return c.toil()
	}
	if err := c.drain(); err != nil {
		return err
	}
	if err := e.Close(ctx); err != nil {
		return err
	}
	return s.Close()
}

// toil starts runs and sends signals from several goroutines, for ever.
func (c *child) toil() error {
	var all sync.WaitGroup
	failed := make(chan error, 16)
	for g := range 8 {
		all.Go(func() {
			for n := 0; ; n++ {
				if err := c.startOne(fmt.Sprintf("run-%s-%d-%d", c.life, g, n)); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Go(func() {
		for {
			if _, err := c.sendSome(3); err != nil {
				failed <- err
				return
			}
			time.Sleep(2 * time.Millisecond)
		}
	})
	return <-failed
}

func (c *child) startOne(id string) error {
	n := rand.IntN(1000)
	run, err := mixed.Start(context.Background(), c.eng, n, engine.StartOptions{ID: flow.WorkflowID(id)})
	if err != nil {
		return err
	}
	say("started %s %s %d", id, run.Ref().Run, n)
	// Half of the runs are waited for, so that ends are acknowledged too.
	if n%2 == 0 {
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(100))*time.Millisecond)
	defer cancel()
	got, err := run.Result(ctx)
	if err == nil {
		say("ended %s %s", id, got)
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// sendSome sends about one in so many of the runs that have not ended the next
// signal. One that an earlier child has sent changes nothing: each has its id.
// It answers how many runs there were.
func (c *child) sendSome(oneIn int) (live int, err error) {
	for cursor := ""; ; {
		page, err := c.eng.Operator().Page(context.Background(), flow.Query{Of: flow.ListRuns,
			Filter: flow.Filter{Statuses: []flow.Status{flow.Running}}, Limit: 200, After: cursor})
		if err != nil {
			return live, err
		}
		live += len(page.Runs)
		for _, run := range page.Runs {
			if c.sent[run.ID] == signals || rand.IntN(oneIn) > 0 {
				continue
			}
			if err := c.send(run.ID); err != nil {
				return live, err
			}
		}
		if cursor = page.Next; !page.More || cursor == "" {
			return live, nil
		}
	}
}

func (c *child) send(id flow.WorkflowID) error {
	text := fmt.Sprintf("go#%d", c.sent[id]+1)
	err := goOn.SendWith(context.Background(), c.eng, id, text, engine.SendOptions{SignalID: text})
	switch {
	case errors.Is(err, flow.ErrFinished):
		c.sent[id] = signals
		return nil
	case err != nil:
		return err
	}
	say("signal %s %s", id, text)
	c.sent[id]++
	return nil
}

func (c *child) drain() error {
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		live, err := c.sendSome(1)
		if err != nil || live == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d runs do not end", live)
		}
	}
}

// signals is how many signals each run takes.
const signals = 2

var goOn = engine.Signal[string]{Name: "go"}

// effect touches the world: it adds a line to a file beside the store.
var effect = engine.Activity[int, string]{Name: "effect", Do: func(ctx context.Context, n int) (string, error) {
	about := engine.InfoOf(ctx)
	f, err := os.OpenFile(os.Getenv(envDir)+"-effects", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%s %d\n", about.Key, about.Attempt); err != nil {
		return "", err
	}
	if n%7 == 3 && about.Attempt == 1 {
		return "", errors.New("the first attempt fails")
	}
	time.Sleep(time.Duration(n%5) * time.Millisecond)
	return fmt.Sprintf("effect(%d)", n), nil
}, Retry: engine.Retry{Initial: 50 * time.Millisecond}}

// mixed uses every kind of step in an order that depends on its input.
var mixed = engine.Workflow[int, string]{Name: "mixed", Signals: []engine.Message{goOn},
	Do: func(ctx *engine.Context, n int) (string, error) {
		var out []string
		for i, kind := range plan(n) {
			text, err := step(ctx, kind, n+i)
			if err != nil {
				return "", err
			}
			out = append(out, text)
			say("step %s %d %s", ctx.Ref().ID, i+1, text)
		}
		return strings.Join(out, ","), nil
	}}

// plan is what a run with input n does, one letter a step.
func plan(n int) string {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	kinds := []byte("eeemsgg")[:7]
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	return string(kinds)
}

func step(ctx *engine.Context, kind rune, n int) (string, error) {
	switch kind {
	case 'e':
		return effect.Run(ctx, n)
	case 'm':
		return engine.Memo(ctx, "note", func() (string, error) { return fmt.Sprintf("note(%d)", n), nil })
	case 's':
		d := time.Duration(n%4) * 60 * time.Millisecond // some outlast Grace, some do not
		return "slept(" + d.String() + ")", ctx.Sleep(d)
	default:
		return goOn.Wait(ctx)
	}
}

// result is what a run with input n must return, and each step on the way.
func result(n int) []string {
	var out []string
	taken := 0
	for i, kind := range plan(n) {
		switch kind {
		case 'e':
			out = append(out, fmt.Sprintf("effect(%d)", n+i))
		case 'm':
			out = append(out, fmt.Sprintf("note(%d)", n+i))
		case 's':
			out = append(out, "slept("+(time.Duration((n+i)%4)*60*time.Millisecond).String()+")")
		default:
			taken++
			out = append(out, fmt.Sprintf("go#%d", taken))
		}
	}
	return out
}
