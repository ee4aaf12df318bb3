package torture

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"weft/engine/check"
	"weft/engine/row"
	"weft/flow"
	"weft/store"
	"weft/store/pebble"
)

// promises is what children have said. Only one speaks at a time.
type promises struct {
	runs    map[string]*promised
	epoch   uint64 // of the last child that told
	spawned int    // children started
	told    int    // spawned when epoch was told
	lines   int
	broken  []string
}

// promised is what was acknowledged of one run.
type promised struct {
	run     string
	input   int
	started bool
	steps   map[int]string
	signals map[string]bool
	ended   string
}

func newPromises() *promises { return &promises{runs: map[string]*promised{}} }

func (p *promises) wrong(format string, args ...any) {
	p.broken = append(p.broken, fmt.Sprintf(format, args...))
}

func (p *promises) of(id string) *promised {
	r := p.runs[id]
	if r == nil {
		r = &promised{steps: map[int]string{}, signals: map[string]bool{}}
		p.runs[id] = r
	}
	return r
}

// heard takes in one line of a child.
func (p *promises) heard(line string) {
	p.lines++
	w := strings.Fields(line)
	switch {
	case len(w) == 2 && w[0] == "open":
		p.opened(w[1])
	case len(w) == 4 && w[0] == "started":
		r := p.of(w[1])
		r.run, r.started = w[2], true
		r.input, _ = strconv.Atoi(w[3])
	case len(w) == 4 && w[0] == "step":
		n, _ := strconv.Atoi(w[2])
		r := p.of(w[1])
		if old, again := r.steps[n]; again && old != w[3] {
			p.wrong("%s: step %d gave %s, and %s in a later life", w[1], n, old, w[3])
		}
		r.steps[n] = w[3]
	case len(w) == 3 && w[0] == "signal":
		p.of(w[1]).signals[w[2]] = true
	case len(w) == 3 && w[0] == "ended":
		p.of(w[1]).ended = w[2]
	default:
		p.wrong("a child said %q", line)
	}
}

// opened checks that each opening took exactly one epoch. A child that was
// killed before it could tell took one or none.
func (p *promises) opened(text string) {
	epoch, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		p.wrong("epoch %q", text)
		return
	}
	if grown, most := epoch-p.epoch, uint64(p.spawned-p.told); epoch <= p.epoch || grown > most {
		p.wrong("epoch %d came after %d, with %d processes between", epoch, p.epoch, most)
	}
	p.epoch, p.told = epoch, p.spawned
}

// check compares the store with the promises and answers the figures.
func (p *promises) check(t *testing.T, dir string, deaths int) string {
	t.Helper()
	s, err := pebble.Open(pebble.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	findings, err := check.Run(s)
	if err != nil {
		t.Error(err)
	}
	for _, f := range findings {
		t.Errorf("check: %s", f)
	}
	steps, acknowledged := 0, [4]int{} // starts, steps, signals, ends
	for id, r := range p.runs {
		n, err := r.compare(s, flow.WorkflowID(id))
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		steps += n
		acknowledged[1] += len(r.steps)
		acknowledged[2] += len(r.signals)
		if r.started {
			acknowledged[0]++
		}
		if r.ended != "" {
			acknowledged[3]++
		}
	}
	effects, most := p.effects(t, dir, deaths)
	return fmt.Sprintf("epoch %d, %d acknowledgements (%d starts, %d steps, %d signals, %d ends) all there; "+
		"%d runs with %d recorded steps; %d effects, at most %d of one attempt; no findings",
		p.epoch, p.lines, acknowledged[0], acknowledged[1], acknowledged[2], acknowledged[3],
		len(p.runs), steps, effects, most)
}

// compare holds one run against what was said of it and against what its code
// must give. It answers the number of steps recorded.
func (r *promised) compare(s store.Reader, id flow.WorkflowID) (int, error) {
	raw, err := s.Get(row.HeadKey(id))
	if err != nil || raw == nil {
		return 0, fmt.Errorf("is gone: %v", err)
	}
	head, err := row.DecodeHead(raw)
	if err != nil {
		return 0, err
	}
	if r.started && string(head.Run) != r.run {
		return 0, fmt.Errorf("was started as run %s, is run %s", r.run, head.Run)
	}
	if head.Status != flow.Completed {
		return 0, fmt.Errorf("is %s (%s: %s)", head.Status, head.Cause, head.Reason)
	}
	var outputs []string
	input, output, taken := -1, "", map[string]int{}
	for kv, err := range s.Scan(store.Prefix(row.EventPrefix(flow.Ref{ID: id, Run: head.Run}))) {
		if err != nil {
			return 0, err
		}
		_, seq, _ := row.ParseEvent(kv.Key)
		ev, err := row.DecodeEvent(seq, kv.Value)
		if err != nil {
			return 0, err
		}
		switch ev.Kind {
		case flow.EventStarted:
			input, err = strconv.Atoi(string(ev.Output))
		case flow.EventStep:
			if string(ev.Step) != strconv.Itoa(len(outputs)+1) {
				return 0, fmt.Errorf("event %d is of step %s, step %d was due", seq, ev.Step, len(outputs)+1)
			}
			outputs = append(outputs, strings.Trim(string(ev.Output), `"`))
			if ev.StepKind == flow.StepSignal {
				taken[outputs[len(outputs)-1]]++
			}
		case flow.EventEnded:
			output = strings.Trim(string(ev.Output), `"`)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(outputs), r.judge(input, outputs, output, taken)
}

func (r *promised) judge(input int, outputs []string, output string, taken map[string]int) error {
	want := result(input)
	if got := strings.Join(want, ","); output != got {
		return fmt.Errorf("returned %s, want %s", output, got)
	}
	if r.started && r.input != input {
		return fmt.Errorf("was started with %d, has input %d", r.input, input)
	}
	if r.ended != "" && r.ended != output {
		return fmt.Errorf("was said to return %s, returned %s", r.ended, output)
	}
	if len(outputs) != len(want) {
		return fmt.Errorf("recorded %d steps, want %d", len(outputs), len(want))
	}
	for n, text := range r.steps {
		if n > len(want) || want[n-1] != text {
			return fmt.Errorf("step %d was said to give %s, want one of %s", n, text, want)
		}
	}
	for name := range r.signals {
		if taken[name] != 1 {
			return fmt.Errorf("signal %s was acknowledged and taken %d times", name, taken[name])
		}
	}
	return nil
}

// effects counts what activities did to the world: each attempt of each step at
// least once is proved by the results, and at most once more for each death.
func (p *promises) effects(t *testing.T, dir string, deaths int) (all, most int) {
	t.Helper()
	f, err := os.Open(dir + "-effects")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	times := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); all++ {
		times[lines.Text()]++
	}
	for what, n := range times {
		most = max(most, n)
		if n > 1+deaths {
			t.Errorf("%s had its effect %d times with %d deaths", what, n, deaths)
		}
	}
	return all, most
}
