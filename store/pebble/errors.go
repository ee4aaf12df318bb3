package pebble

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"weft/store"

	"github.com/cockroachdb/pebble/v2"
)

// translate gives an error of Pebble or the system the sentinel that fits.
// What already has one, or fits none, is returned as it is.
func translate(err error) error {
	switch {
	case err == nil || sentinel(err) != nil:
		return err
	case errors.Is(err, syscall.ENOSPC) || isQuota(err):
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	case isDenied(err):
		return fmt.Errorf("%w: %w", store.ErrDenied, err)
	case pebble.IsCorruptionError(err):
		return fmt.Errorf("%w: %w", store.ErrCorrupt, plain{err})
	}
	return err
}

// plain is an error of Pebble as one line: some carry further lines for
// programmers.
type plain struct{ error }

func (e plain) Error() string {
	line, _, _ := strings.Cut(e.error.Error(), "\n")
	return line
}

func (e plain) Unwrap() error { return e.error }

func isDenied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

var sentinels = []error{
	store.ErrMissing, store.ErrLocked, store.ErrForeign, store.ErrHalfMade, store.ErrNewer,
	store.ErrCorrupt, store.ErrDataLoss, store.ErrFull, store.ErrStalled, store.ErrFailed,
	store.ErrReadOnly, store.ErrClosed, store.ErrDenied,
}

func sentinel(err error) error {
	for _, s := range sentinels {
		if errors.Is(err, s) {
			return s
		}
	}
	return nil
}

// advice is what a person does about each answer of Open.
var advice = map[error]string{
	store.ErrMissing:  "correct the path, or create a store there",
	store.ErrForeign:  "choose another directory; nothing was changed here",
	store.ErrHalfMade: "create the store again; creating it was interrupted before it held data",
	store.ErrNewer:    "use the newer program; nothing was changed",
	store.ErrCorrupt:  "open it for reading to save what is readable, or restore a backup; nothing was changed",
	store.ErrDataLoss: "restore a backup, open it for reading, or accept the loss explicitly",
	store.ErrFull:     "make room and open it again; reading is possible meanwhile",
	store.ErrStalled:  "look at the disk and its free space, then open it again",
	store.ErrFailed:   "look at the disk, then open it again",
	store.ErrDenied:   "give this user the right to read and write it",
	store.ErrLocked:   "stop that process, or attach to it",
}

// explain makes err what people get from a refused open.
func explain(dir string, err error) error {
	err = translate(err)
	var known *store.OpenError
	if err == nil || errors.As(err, &known) {
		return err
	}
	if sentinel(err) == nil && errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: %w", store.ErrCorrupt, err) // a file the store needs
	}
	var locked *store.LockedError
	say := advice[sentinel(err)]
	var lost *noFormatError
	switch {
	case errors.As(err, &lost):
		say = "put its file FORMAT back, or choose another directory; nothing was changed"
	case !errors.As(err, &locked):
	case locked.Here:
		say = "use that one, or close it first"
	case locked.PID == 0:
		say = "wait until that process has ended"
	}
	return &store.OpenError{Dir: dir, Reason: err, Advice: say}
}
