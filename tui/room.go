package tui

import (
	"os"
	"runtime"
	"sync"
)

const (
	// roomProcs is the least number of Go's processors. A thread that waits for
	// the disk keeps its processor for up to 10 ms, and a compaction that hands
	// its blocks to another goroutine and back does, too; on a small machine all
	// processors can be held so at once, and a key that was pressed waits in a
	// queue. With more of them than cores the system shares the cores, which it
	// does by the microsecond. Measured on two cores at 5,000 steps a second:
	// key to frame at p99 28 ms with 2, 14 ms with 4, 5 ms with 8, and the engine
	// no slower.
	roomProcs = 8
	// roomHeap is what lies on the heap and is never touched, so that it takes
	// address space and no memory. A collection begins when the heap has doubled;
	// an engine with few runs in memory has so small a heap that it would be
	// collected five times a second.
	roomHeap = 32 << 20
)

var room struct {
	once sync.Once
	heap []byte
}

// MakeRoom fits the Go runtime to a process in which the console is shown beside
// an engine that works: keys are answered within milliseconds while the disk
// keeps threads waiting. [Guard] does it; a program that shows the console without
// a guard may, in its main. What the environment sets, GOMAXPROCS or GOGC, stays.
// It costs some 40 MiB while the engine works. Only the first call counts.
func MakeRoom() {
	room.once.Do(func() {
		if _, set := os.LookupEnv("GOMAXPROCS"); !set {
			runtime.GOMAXPROCS(max(roomProcs, runtime.GOMAXPROCS(0)))
		}
		if _, set := os.LookupEnv("GOGC"); !set {
			room.heap = make([]byte, roomHeap)
		}
	})
}
