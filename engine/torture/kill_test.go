// Package torture kills processes that run workflows, for real, and checks that
// nothing they were promised is lost. It has tests only.
package torture

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	kills = flag.Int("kills", 15, "how often TestKill kills its process")
	seed  = flag.Uint64("seed", 0, "seed of the moments of TestKill; 0 chooses one")
)

// The test binary is its own child.
func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		be := beChild
		if os.Getenv(envDeath) != "" {
			be = beDeadly
		}
		if err := be(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestKill lets a process run workflows on a real directory and kills it at
// random moments, again and again; the last one ends what is left. Whatever any
// of them has acknowledged must be there.
func TestKill(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	rng := rand.New(rand.NewPCG(*seed, 1))
	t.Logf("-kills %d -seed %d", *kills, *seed)
	p := newPromises()
	dir := filepath.Join(t.TempDir(), "store")
	for n := range *kills {
		c := startChild(t, dir, n, p, false)
		switch moment := rng.IntN(8); {
		case moment == 0 && n > 0: // while it opens the store; one half made would be refused
			time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
		case moment == 1: // long enough for delays to pass
			c.opened(t)
			time.Sleep(time.Duration(rng.IntN(2500)) * time.Millisecond)
		default:
			c.opened(t)
			time.Sleep(time.Duration(rng.IntN(500)) * time.Millisecond)
		}
		c.kill(t)
		if t.Failed() {
			return
		}
	}
	last := startChild(t, dir, *kills, p, true)
	last.end(t)
	for _, problem := range p.broken {
		t.Error(problem)
	}
	figures := p.check(t, dir, *kills)
	t.Logf("%d kills: %s", *kills, figures)
}

// process is a child under way.
type process struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ready  chan struct{} // closed when it has opened the store
	read   chan struct{} // closed when all it said was taken in
}

func startChild(t *testing.T, dir string, n int, p *promises, last bool) *process {
	t.Helper()
	c := &process{cmd: exec.Command(os.Args[0]), ready: make(chan struct{}), read: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), envDir+"="+dir, envLife+"="+strconv.Itoa(n))
	if last {
		c.cmd.Env = append(c.cmd.Env, envLast+"=1")
	}
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.spawned++
	go func() {
		defer close(c.read)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.heard(lines.Text())
			if strings.HasPrefix(lines.Text(), "open ") {
				close(c.ready)
			}
		}
	}()
	return c
}

// opened waits until the child has opened the store, or has ended.
func (c *process) opened(t *testing.T) {
	t.Helper()
	select {
	case <-c.ready:
	case <-c.read:
	case <-time.After(time.Minute):
		t.Error("the store does not open within a minute")
	}
}

// kill ends the child as kill -9 does. A child that ended by itself is a fault.
func (c *process) kill(t *testing.T) {
	t.Helper()
	_ = c.cmd.Process.Kill()
	<-c.read
	_ = c.cmd.Wait()
	if c.cmd.ProcessState.Exited() {
		t.Errorf("the process ended by itself: %v\n%s", c.cmd.ProcessState, c.stderr.String())
	}
}

// end waits for a child that ends by itself.
func (c *process) end(t *testing.T) {
	t.Helper()
	<-c.read
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the last process: %v\n%s", err, c.stderr.String())
	}
}
