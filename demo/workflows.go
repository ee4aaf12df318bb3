package demo

import (
	"path/filepath"

	"weft/engine"
)

// Workflows are the demo workflows with their files below work, which need not
// exist yet.
func Workflows(work string) []engine.Definition {
	return []engine.Definition{
		hashFiles(work), fetch(work), importLedger(work), release(work), keep(work), pack(work), inbox(work), usage(work),
		contract(work), trip(work), sandbox(work),
	}
}

// version is recorded with each run. A change of the workflows that does not
// fit the journals of older stores raises it.
const version = "1"

// Codes of failures that the workflows declare.
const (
	// BadInput: the input asks for too much or for nothing.
	BadInput engine.Code = "bad-input"
	// BrokenRow: a row of the ledger cannot be read.
	BrokenRow engine.Code = "broken-row"
	// ConnectionLost: the source went away in the middle of a fetch.
	ConnectionLost engine.Code = "connection-lost"
	// NotThere: the file that inbox waits for is not there yet.
	NotThere engine.Code = "not-there"
	// FullyBooked: a part of a trip cannot be had.
	FullyBooked engine.Code = "fully-booked"
	// Stubborn: the teardown of a sandbox was asked to fail.
	Stubborn engine.Code = "stubborn"
)

// inRange refuses an input that would fill the disk or do nothing.
func inRange(what string, n, low, high int) error {
	if n < low || n > high {
		return engine.Fail(BadInput, "%s: %d; use %d to %d", what, n, low, high)
	}
	return nil
}

// folder is where the runs of one type keep their files.
func folder(work, typ string) disk { return disk{filepath.Join(work, typ)} }
