package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"weft/engine"
	"weft/flow"
)

// measureWaiting makes stores of sleeping runs, kills their maker, and lets a
// fresh process open each: what it costs to have so many runs wait.
func measureWaiting(s settings) error {
	if s.waiting == "" {
		return nil
	}
	fmt.Println("| sleeping runs | created/s | RSS while creating | open after kill | first list | page p50 | page p99 | RSS after open | RSS after rest | CPU at rest |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, word := range strings.Split(s.waiting, ",") {
		count, err := strconv.Atoi(word)
		if err != nil {
			return fmt.Errorf("-waiting: %w", err)
		}
		if err := measureOne(s, count); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
}

func measureOne(s settings, count int) error {
	dir := filepath.Join(s.dir, fmt.Sprintf("waiting-%d", count))
	self, err := os.Executable()
	if err != nil {
		return err
	}
	made, err := exec.Command(self, "-child", "make:"+strconv.Itoa(count)+":"+dir).Output()
	if _, killed := err.(*exec.ExitError); err != nil && !killed {
		return err
	}
	seen, err := exec.Command(self, "-child", "open::"+dir, "-idle", s.idle.String()).Output()
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	fmt.Printf("| %d | %s | %s |\n", count, strings.TrimSpace(string(made)), strings.TrimSpace(string(seen)))
	return os.RemoveAll(dir)
}

// reportStore is the child's part.
func reportStore(order string, idle time.Duration) error {
	parts := strings.SplitN(order, ":", 3)
	if parts[0] == "make" {
		count, err := strconv.Atoi(parts[1])
		if err != nil {
			return err
		}
		return makeStore(parts[2], count)
	}
	return lookAtStore(parts[2], idle)
}

// makeStore starts the runs, waits until they have parked, reports, and dies
// without closing anything.
func makeStore(dir string, count int) error {
	n, err := open(dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	var wg sync.WaitGroup
	began := time.Now()
	for w := range 256 {
		wg.Go(func() {
			for i := w; i < count; i += 256 {
				id := flow.WorkflowID(fmt.Sprintf("nap-%08d", i))
				if _, err := nap.Start(ctx, n.Engine, 30*86_400_000, engine.StartOptions{ID: id}); err != nil {
					fmt.Fprintln(os.Stderr, "bench:", err)
					os.Exit(1)
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	peak := memory("VmHWM:")
	for n.live(ctx) > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Printf("%.0f | %s\n", float64(count)/took.Seconds(), peak)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Kill()
}

func lookAtStore(dir string, idle time.Duration) error {
	began := time.Now()
	n, err := open(dir)
	if err != nil {
		return err
	}
	opened := time.Since(began)
	ctx := context.Background()
	q := flow.Query{Of: flow.ListRuns, Filter: flow.Filter{Statuses: []flow.Status{flow.Running}}}
	if _, err := n.Operator().Page(ctx, q); err != nil {
		return err
	}
	first := time.Since(began)
	p50, p99, err := pages(ctx, n, q)
	if err != nil {
		return err
	}
	runtime.GC()
	after := memory("VmRSS:")
	cpu := cpuTime()
	time.Sleep(idle)
	cores := (cpuTime() - cpu).Seconds() / idle.Seconds()
	fmt.Printf("%v | %v | %v | %v | %s | %s | %.3f cores\n", opened.Round(time.Millisecond),
		first.Round(time.Millisecond), p50.Round(time.Microsecond), p99.Round(time.Microsecond), after,
		memory("VmRSS:"), cores)
	return n.close()
}

// pages times a thousand list pages of 50 rows, going on from page to page.
func pages(ctx context.Context, n *node, q flow.Query) (p50, p99 time.Duration, err error) {
	var took []time.Duration
	for range 1000 {
		began := time.Now()
		page, err := n.Operator().Page(ctx, q)
		if err != nil {
			return 0, 0, err
		}
		took = append(took, time.Since(began))
		q.After = ""
		if page.More {
			q.After = page.Cursors[len(page.Cursors)-1]
		}
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	return took[len(took)/2], took[len(took)*99/100], nil
}
