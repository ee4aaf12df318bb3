//go:build !unix

package tui

// Guard makes room for the console; see [MakeRoom]. There is no job control to
// keep on this system.
func Guard() { MakeRoom() }

func capture() (restore func()) { return func() {} }
