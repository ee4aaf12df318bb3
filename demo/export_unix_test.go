//go:build unix

package demo

// ReleaseBox releases a sandbox of which only the intent is recorded.
func ReleaseBox(work, run string) error { return folder(work, "sandbox").release(box{Dir: run}) }

// Survives reports whether a process outlives that one with its number and
// another start is killed.
func Survives(pid int) bool {
	if err := (process{pid, "another time"}).kill(); err != nil {
		return false
	}
	_, _, alive := identify(pid)
	return alive
}
