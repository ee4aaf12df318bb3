package tui

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// childAttr ends the child in an orderly way when the guard is killed. The
// kernel ties that to the thread that made the child, hence the lock.
func childAttr() *syscall.SysProcAttr {
	runtime.LockOSThread()
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGHUP}
}

// dropInput forgets what was typed or answered to a screen that is gone, lest
// the shell read it.
func dropInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

func onto(from, to int) error { return unix.Dup3(from, to, 0) }
