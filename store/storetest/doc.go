// Package storetest says, as tests, what a [store.Store] must do.
//
// Every implementation calls [Run] with an [Opener]. The suite covers reading,
// writing, conditions, counters, snapshots, groups, contention, limits, closing
// and, where the implementation can fail on demand, failed writes and crashes.
// A random test compares the store with a plain map, step by step; it prints a
// failing case in its smallest form.
package storetest
