// Command console measures the console on a store with many runs while the
// engine works, in a pseudo-terminal. Run it on a quiet machine:
//
//	go run ./internal/bench/console -runs 1000000
//
// The store is made once: with -dir it is kept, and used again by the next
// measurement. -only measures one of keys, pairs, idle, start.
package main
