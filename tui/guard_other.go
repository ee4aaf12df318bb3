//go:build !unix

package tui

// Guard does nothing on this system: there is no job control to keep.
func Guard() {}

func capture() (restore func()) { return func() {} }
