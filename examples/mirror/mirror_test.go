package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"weft"
	"weft/flow"
)

// program is the mirror, built once.
var program string

var chance = flag.Uint64("seed", 0, "begin the random tests with this `seed`; 0 draws one")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withProgram(m))
}

func withProgram(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mirror")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "mirror.exe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestMirrorOutlivesKills kills the program at random moments of a small tree.
func TestMirrorOutlivesKills(t *testing.T) {
	rng := newChance(t)
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	plant(t, rng, src, 600)
	outlive(t, rng, ordeal{src: src, dir: dir, batch: 20, kills: 5})
}

// TestTortureMirror is the long form: the source of the standard library. It
// runs when WEFT_TORTURE is set.
func TestTortureMirror(t *testing.T) {
	if os.Getenv("WEFT_TORTURE") == "" {
		t.Skip("set WEFT_TORTURE=1 to run it")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	outlive(t, newChance(t), ordeal{src: src, dir: t.TempDir(), batch: 100, kills: 10})
}

// ordeal is one mirror that is to be killed so many times at its beginning, and
// as often later.
type ordeal struct {
	src, dir     string
	batch, kills int
}

func (o ordeal) dst() string   { return filepath.Join(o.dir, "dst") }
func (o ordeal) data() string  { return filepath.Join(o.dir, "data") }
func (o ordeal) trace() string { return filepath.Join(o.dir, "trace") }

func (o ordeal) command(out *bytes.Buffer) *exec.Cmd {
	cmd := exec.Command(program, o.src, o.dst(), "--headless", "--data", o.data(), "--trace", o.trace(),
		"--batch", fmt.Sprint(o.batch))
	cmd.Stdout, cmd.Stderr = out, out
	return cmd
}

// outlive kills the mirror at random moments, lets it end, and judges what is
// there.
func outlive(t *testing.T, rng *rand.Rand, o ordeal) {
	began := time.Now()
	// The first kills come while the store is being made.
	for range o.kills {
		o.kill(t, 0, time.Duration(rng.IntN(40))*time.Millisecond)
	}
	// A kill after at most so many lines of the trace leaves work for those
	// that follow. Every third comes without a look at the trace, so that
	// opening and recovering are hit too.
	share := max(2*len(names(t, o.src))/o.batch/(o.kills+1)-2, 1)
	for i := range o.kills {
		lines := 1 + rng.IntN(share)
		if i%3 == 1 {
			lines = 0
		}
		o.kill(t, lines, time.Duration(rng.IntN(60))*time.Millisecond)
	}
	var out bytes.Buffer
	if err := o.command(&out).Run(); err != nil {
		t.Fatalf("the last run: %v\n%s", err, out.String())
	}
	took := time.Since(began)
	same(t, o.src, o.dst())
	starts, twice := o.attempts(t)
	if twice > 2*o.kills {
		t.Errorf("%d batches were copied more than once, with %d kills", twice, 2*o.kills)
	}
	steps, epoch := o.recorded(t, starts)
	result := strings.Split(strings.TrimSpace(out.String()), "\n")
	t.Logf("%s", strings.Join(result[max(len(result)-2, 0):], "; "))
	if want := "digest " + digest(t, o.src); result[len(result)-1] != want {
		t.Errorf("the result ends with %q, want %q", result[len(result)-1], want)
	}
	total := 0
	for _, n := range starts {
		total += n
	}
	t.Logf("%d kills; %d batches recorded once each, %d attempts begun, %d batches copied more than once; epoch %d; %.1f s",
		2*o.kills, steps, total, twice, epoch, took.Seconds())
}

// kill starts the mirror and kills it after so many more lines in its trace
// and a while.
func (o ordeal) kill(t *testing.T, lines int, while time.Duration) {
	t.Helper()
	before := o.lines()
	var out bytes.Buffer
	cmd := o.command(&out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for late := time.Now().Add(time.Minute); o.lines() < before+lines; {
		select {
		case err := <-ended:
			t.Fatalf("the mirror ended before it was killed: %v\n%s", err, out.String())
		case <-time.After(time.Millisecond):
		}
		if time.Now().After(late) {
			cmd.Process.Kill()
			t.Fatalf("no %d lines in the trace within a minute: %v\n%s", lines, <-ended, out.String())
		}
	}
	time.Sleep(while)
	cmd.Process.Kill() // fails when the mirror has ended, which the next line sees
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) || exit.ExitCode() >= 0 && runtime.GOOS != "windows" {
		t.Fatalf("the mirror was not killed: %v\n%s", err, out.String())
	}
}

// lines counts the lines of the trace.
func (o ordeal) lines() int {
	data, _ := os.ReadFile(o.trace())
	return bytes.Count(data, []byte("\n"))
}

// attempts counts how often each batch was begun, by its step's key, and how
// many were begun more than once.
func (o ordeal) attempts(t *testing.T) (starts map[string]int, twice int) {
	t.Helper()
	f, err := os.Open(o.trace())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	starts = map[string]int{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var word, key string
		var attempt int
		if _, err := fmt.Sscanf(s.Text(), "%s %s attempt %d", &word, &key, &attempt); err != nil {
			t.Fatalf("trace line %q: %v", s.Text(), err)
		}
		if attempt != 1 {
			t.Errorf("%s: no attempt failed, so none but the first is made", s.Text())
		}
		if word == "start" {
			if starts[key]++; starts[key] == 2 {
				twice++
			}
		}
	}
	return starts, twice
}

// recorded reads the journal and demands that it has each batch that was begun
// once, and no other.
func (o ordeal) recorded(t *testing.T, starts map[string]int) (steps int, epoch uint64) {
	t.Helper()
	ctx := context.Background()
	node, err := weft.Open(ctx, weft.Options{Dir: o.data(), Mode: flow.ModeLook, AcknowledgeUnknownTypes: true})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close(ctx)
	door := node.Engine.Operator()
	page, err := door.Page(ctx, flow.Query{Of: flow.ListRuns})
	if err != nil || len(page.Runs) != 1 || page.Runs[0].Status != flow.Completed {
		t.Fatalf("the store has %+v, %v", page.Runs, err)
	}
	ref := page.Runs[0].Ref
	d, err := door.Detail(ctx, ref, flow.PartEvents)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[flow.StepPath]bool{}
	for i, ev := range d.Events {
		if ev.Seq != flow.EventSeq(i+1) {
			t.Errorf("event %d has number %d", i+1, ev.Seq)
		}
		if ev.Kind != flow.EventStep {
			continue
		}
		if seen[ev.Step] {
			t.Errorf("step %s is recorded twice", ev.Step)
		}
		seen[ev.Step] = true
		if ev.Name == "copy" {
			steps++
			if key := ref.String() + "/" + string(ev.Step); starts[key] == 0 {
				t.Errorf("step %s is recorded and was never begun", key)
			}
		}
	}
	if steps != len(starts) {
		t.Errorf("%d batches are recorded, %d were begun", steps, len(starts))
	}
	info, err := door.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return steps, uint64(info.Lease.Epoch)
}

// newChance is a source of chance whose seed the test's log tells.
func newChance(t *testing.T) *rand.Rand {
	seed := *chance
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
