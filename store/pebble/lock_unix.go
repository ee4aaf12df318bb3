//go:build !windows

package pebble

import (
	"errors"
	"fmt"
	"io"
	"os"

	"weft/store"

	"golang.org/x/sys/unix"
)

// lockFile takes a flock without waiting.
func lockFile(f *os.File, shared bool) error {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return heldError{}
		case errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOLCK):
			return fmt.Errorf("this file system has no file locks: %w", store.ErrDenied)
		default:
			return err
		}
	}
}

// foreignLock reports who holds Pebble's own LOCK, such as a tool of Pebble. It
// must not be called by a process that has the database open: closing the file
// would drop the lock.
func foreignLock(p place) error {
	if !p.onDisk {
		return nil
	}
	f, err := os.Open(p.fs.PathJoin(p.db(), "LOCK"))
	if err != nil {
		return nil // none was ever taken, or Open will say what is wrong
	}
	defer func() { _ = f.Close() }()
	probe := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &probe); err != nil || probe.Type == unix.F_UNLCK {
		return nil
	}
	return fmt.Errorf("the lock of Pebble itself is held: %w", &store.LockedError{PID: int(probe.Pid)})
}

func isLockRefusal(err error) bool {
	return errors.Is(err, unix.EAGAIN) || err == error(unix.EACCES)
}
