package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// settings are the flags.
type settings struct {
	dir     string
	rounds  int
	each    time.Duration
	waiting string
	idle    time.Duration
	child   string
	profile string
	only    string
}

func main() {
	var s settings
	flag.StringVar(&s.dir, "dir", "", "where the data goes; a temporary directory here when empty")
	flag.IntVar(&s.rounds, "rounds", 5, "valid rounds per figure")
	flag.DurationVar(&s.each, "each", 2*time.Second, "length of one measurement")
	flag.StringVar(&s.waiting, "waiting", "10000,100000", "numbers of sleeping runs to measure; empty for none")
	flag.DurationVar(&s.idle, "idle", 60*time.Second, "how long an opened store rests before its memory is read")
	flag.StringVar(&s.child, "child", "", "used by the program itself: open this store and report")
	flag.StringVar(&s.profile, "profile", "", "write a CPU profile of the concurrent measurement to this file")
	flag.StringVar(&s.only, "only", "", "measure only the rates whose row contains this text")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(s settings) error {
	if s.child != "" {
		return reportStore(s.child, s.idle)
	}
	if s.dir == "" {
		dir, err := os.MkdirTemp(".", "bench-data-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s.dir = dir
	}
	s.dir, _ = filepath.Abs(s.dir)
	printSettings(s)
	if s.only != "" {
		return measureRates(s)
	}
	if err := measureSyncs(s); err != nil {
		return err
	}
	if err := measureRates(s); err != nil {
		return err
	}
	return measureWaiting(s)
}
