package pebble

import (
	"os"
	"sync"
)

// opened are the directories that this process owns. owner.lock alone does not
// tell: it may have been removed, and Pebble's own lock must not even be looked
// at by the process that has it, because closing the file would drop it.
type opened struct {
	mu   sync.Mutex
	dirs map[*fileOwnership]os.FileInfo
}

var here = opened{dirs: map[*fileOwnership]os.FileInfo{}}

func (o *opened) add(own *fileOwnership, dir string) {
	info, err := os.Stat(dir)
	if err != nil {
		return // removed just now: opening it fails, too
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dirs[own] = info
}

func (o *opened) remove(own *fileOwnership) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.dirs, own)
}

// has reports whether this process owns the directory, by whatever path.
func (o *opened) has(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, other := range o.dirs {
		if os.SameFile(info, other) {
			return true
		}
	}
	return false
}
