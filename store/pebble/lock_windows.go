package pebble

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks one byte far beyond the content, which others must be able to
// read: locks are mandatory here.
func lockFile(f *os.File, shared bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return heldError{}
	}
	return err
}

// foreignLock cannot ask who holds a file here; opening Pebble will tell.
func foreignLock(place) error { return nil }

func isLockRefusal(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
