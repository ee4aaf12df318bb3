package engine_test

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"weft/flow"
)

// node is one statement of a tree: workflow code as data, with everything that
// code can do, nested.
type node struct {
	op string
	id int // unique in its tree
	// n is, of an act, the attempts that fail; of a race, the branch that wins; of
	// a map, the width; of a chain, how often it continues as new; of a saga, the
	// steps that are undone, 0 when it succeeds; of a child that is left behind, its
	// place in policies; of a condition, 1 if it has a limit.
	n  int
	d  time.Duration
	in []tree // of the branches, or the child
}

// tree is code that runs its statements one after the other.
type tree []node

// losers are what loses a race, by their place behind the winner: none of them
// ends while the test lasts.
var losers = []string{"sleep", "signal", "activity", "child"}

const forever = 100_000 * time.Hour

// drawTree makes code up. A quick tree, which is to win a race, ends by itself
// soon.
func drawTree(t *rapid.T, depth int) tree {
	out := make(tree, rapid.IntRange(0, 4).Draw(t, "statements"))
	for i := range out {
		out[i] = drawNode(t, depth)
	}
	return out
}

// leaves are the statements without branches; small ones first, because rapid
// shrinks to those.
var leaves = []string{"memo", "act", "sleep", "take", "later", "takeNever", "version", "chance", "summary", "update", "untilNever", "drain", "childLeft"}

var groups = []string{"all", "race", "map", "go", "child", "childAside", "childFails", "chain", "until", "saga"}

func drawNode(t *rapid.T, depth int) node {
	ops := leaves
	if depth > 0 {
		ops = append(append([]string{}, leaves...), groups...)
	}
	n := node{op: rapid.SampledFrom(ops).Draw(t, "op")}
	sub := func() { n.in = append(n.in, drawTree(t, depth-1)) }
	pause := rapid.SampledFrom([]time.Duration{0, time.Millisecond, 700 * time.Millisecond, 2 * time.Second, 20 * time.Second})
	switch n.op {
	case "act":
		n.n, n.d = rapid.IntRange(0, attemptsOfAct).Draw(t, "fails"), pause.Draw(t, "works")
	case "sleep", "takeNever", "untilNever":
		n.d = pause.Draw(t, "lasts")
	case "all":
		for range rapid.IntRange(0, 3).Draw(t, "branches") {
			sub()
		}
	case "map":
		for range rapid.IntRange(0, 4).Draw(t, "elements") {
			sub()
		}
		n.n = rapid.IntRange(0, 3).Draw(t, "width")
	case "chain":
		n.n = rapid.IntRange(0, 3).Draw(t, "runs")
	case "race":
		n.n = rapid.IntRange(0, len(losers)).Draw(t, "winner")
		sub()
	case "go":
		sub()
		sub()
	case "saga":
		n.n = rapid.IntRange(0, 3).Draw(t, "undone")
		sub()
	case "childLeft":
		n.n = rapid.IntRange(0, len(policies)-1).Draw(t, "policy")
	case "until":
		n.n = rapid.IntRange(0, 1).Draw(t, "limit")
		sub()
	case "child", "childAside":
		sub()
	}
	return n
}

// number gives every statement its id and returns the last one.
func (p tree) number(last int) int {
	for i := range p {
		last++
		p[i].id = last
		for _, sub := range p[i].in {
			last = sub.number(last)
		}
	}
	return last
}

// find is the first statement that is wanted.
func (p tree) find(wanted func(node) bool) *node {
	for i := range p {
		if wanted(p[i]) {
			return &p[i]
		}
		for _, sub := range p[i].in {
			if n := sub.find(wanted); n != nil {
				return n
			}
		}
	}
	return nil
}

func (p tree) String() string {
	var out []string
	for _, n := range p {
		s := fmt.Sprintf("%s#%d", n.op, n.id)
		if n.n != 0 {
			s += fmt.Sprintf(" %d", n.n)
		}
		if n.d != 0 {
			s += " " + n.d.String()
		}
		for _, sub := range n.in {
			s += " {" + sub.String() + "}"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// result is what p must return, found without an engine.
func (p tree) result() string {
	var out []string
	for _, n := range p {
		if s := n.result(); s != "" {
			out = append(out, s)
		}
	}
	return "(" + strings.Join(out, " ") + ")"
}

func (n node) result() string {
	var subs []string
	for _, sub := range n.in {
		subs = append(subs, sub.result())
	}
	all := strings.Join(subs, ",")
	switch n.op {
	case "act":
		if n.n == attemptsOfAct {
			return fmt.Sprintf("act%d!", n.id)
		}
		return fmt.Sprintf("act%d", n.id)
	case "take", "memo", "version", "later", "update":
		return fmt.Sprintf("%s%d", n.op, n.id)
	case "takeNever", "untilNever":
		return "nothing"
	case "race":
		return fmt.Sprintf("%d=%s", n.n, all)
	case "childFails":
		return "child-failed"
	case "chain":
		return fmt.Sprintf("chain[%d]", n.n)
	case "saga":
		if n.n > 0 {
			return fmt.Sprintf("undone%d", n.id)
		}
		return "saga[" + all + "]"
	case "all", "map", "go", "child", "childAside", "until":
		return n.op + "[" + all + "]"
	}
	return ""
}

// childOf names the run of a child statement within the run.
func (n node) childOf(parent flow.WorkflowID) flow.WorkflowID {
	return flow.WorkflowID(fmt.Sprintf("%s-%d", parent, n.id))
}

// script is what a tree leaves in journals, and what it needs from outside.
type treeScript struct {
	// steps are the paths, kinds and names each run must have recorded, apart
	// from those below a lost prefix, which may be there or not.
	steps map[flow.WorkflowID]map[string]bool
	lost  map[flow.WorkflowID][]string
	takes []take
	puts  []put
	// left are the runs that their parents do not wait for.
	left map[flow.WorkflowID]flow.ParentClose
}

// take is a signal that a run waits for.
type take struct {
	run  flow.WorkflowID
	name string
}

func (p tree) script(root flow.WorkflowID) *treeScript {
	s := &treeScript{steps: map[flow.WorkflowID]map[string]bool{}, lost: map[flow.WorkflowID][]string{},
		left: map[flow.WorkflowID]flow.ParentClose{}}
	s.run(root, p)
	return s
}

func (s *treeScript) run(id flow.WorkflowID, p tree) {
	s.steps[id] = map[string]bool{}
	s.walk(id, p, "", 0)
}

// walk notes the steps of p, whose paths go on behind step n of a prefix, and
// returns the last one.
func (s *treeScript) walk(id flow.WorkflowID, p tree, prefix string, n int) int {
	next := func(what string) {
		n++
		if what != "" {
			s.steps[id][fmt.Sprintf("%s%d %s", prefix, n, what)] = true
		}
	}
	below := func(branch int, sub tree) { s.walk(id, sub, fmt.Sprintf("%s%d.%d.", prefix, n, branch+1), 0) }
	for _, st := range p {
		switch st.op {
		case "act":
			next("activity act")
		case "later":
			next("activity later")
		case "sleep":
			next("sleep ")
		case "take":
			s.takes = append(s.takes, take{id, fmt.Sprintf("s%d", st.id)})
			next(fmt.Sprintf("signal s%d", st.id))
		case "takeNever":
			next("signal never")
		case "memo":
			next(fmt.Sprintf("memo m%d", st.id))
		case "version":
			next(fmt.Sprintf("version v%d", st.id))
		case "update":
			s.puts = append(s.puts, put{id, st.id})
			s.handled(id, st.id)
			next("")
		case "untilNever":
			next("condition ")
		case "drain":
			next(fmt.Sprintf("drain d%d", st.id))
		case "childLeft":
			next("child tree")
			s.left[st.childOf(id)] = policies[st.n]
			s.run(st.childOf(id), nil)
		case "until":
			next("")
			below(0, st.in[0])
			next("")
		case "saga":
			next("")
			n = s.saga(id, st, prefix, n-1)
		case "all", "map":
			next("")
			for i, sub := range st.in {
				below(i, sub)
			}
		case "race":
			next("")
			below(st.n, st.in[0])
			for i := range len(losers) + 1 {
				if i != st.n {
					s.lost[id] = append(s.lost[id], fmt.Sprintf("%s%d.%d.", prefix, n, i+1))
				}
			}
		case "go":
			next("")
			below(0, st.in[0])
			n = s.walk(id, st.in[1], prefix, n)
		case "child", "childAside", "childFails", "chain":
			next("child tree")
			if st.op == "childAside" {
				next("memo aside")
			}
			next("wait child tree")
			var code tree
			if len(st.in) > 0 {
				code = st.in[0]
			}
			s.run(st.childOf(id), code)
			if st.op == "chain" { // the journal of its last run
				s.steps[st.childOf(id)] = map[string]bool{"1 memo link": true}
			}
		}
	}
	return n
}

// isLost reports whether a step of a run lies below a lost branch.
func (s *treeScript) isLost(id flow.WorkflowID, step string) bool {
	for _, prefix := range s.lost[id] {
		if strings.HasPrefix(step, prefix) {
			return true
		}
	}
	return false
}
