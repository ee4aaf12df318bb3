package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"weft/tui"
)

// settings are the flags.
type settings struct {
	dir    string
	runs   int
	rate   int
	keys   int
	pairs  int
	each   time.Duration
	starts int
	only   string
	prof   string
}

func main() {
	var s settings
	flag.StringVar(&s.dir, "dir", "", "where the store is, made if it is not there; a temporary directory here when empty")
	flag.IntVar(&s.runs, "runs", 1_000_000, "how many runs wait in the store")
	flag.IntVar(&s.rate, "rate", 5000, "steps per second while keys are measured")
	flag.IntVar(&s.keys, "keys", 1000, "how many keys are pressed")
	flag.IntVar(&s.pairs, "pairs", 10, "pairs of measurements with and without the console")
	flag.DurationVar(&s.each, "each", 5*time.Second, "length of one measurement")
	flag.IntVar(&s.starts, "starts", 10, "how often the program is started")
	flag.StringVar(&s.only, "only", "", "measure only this: keys, pairs, idle or start")
	flag.StringVar(&s.prof, "profile", "", "write a CPU profile of the measurements to this file")
	flag.Parse()
	tui.MakeRoom() // as weft-tui does; what is measured without the console has it, too
	if err := run(context.Background(), s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	if s.dir == "" {
		dir, err := os.MkdirTemp(".", "bench-console-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s.dir = filepath.Join(dir, "store")
	}
	n, err := openStore(ctx, s)
	if err != nil {
		return err
	}
	stop, err := profile(s.prof)
	if err != nil {
		n.close()
		return err
	}
	defer stop()
	fmt.Printf("go %s, %d cores, %d runs wait\n\n| figure | measured | must reach |\n|---|---|---|\n", runtime.Version(), runtime.NumCPU(), s.runs)
	for _, m := range []struct {
		name    string
		measure func(context.Context, *node, settings) error
	}{{"keys", measureKeys}, {"pairs", measurePairs}, {"idle", measureIdle}} {
		if s.only != "" && s.only != m.name {
			continue
		}
		if err := m.measure(ctx, n, s); err != nil {
			n.close()
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	// The program that is started next does not know the type of what is not done.
	if err := n.rest(ctx, s.runs); err != nil {
		return err
	}
	if err := n.close(); err != nil {
		return err
	}
	if s.only != "" && s.only != "start" {
		return nil
	}
	return measureStart(s)
}

// row prints one row of the table.
func row(figure, measured, must string) { fmt.Printf("| %s | %s | %s |\n", figure, measured, must) }

// profile writes a CPU profile to file until stop is called; none when empty.
func profile(file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); f.Close() }, nil
}
