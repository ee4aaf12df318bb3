package pebble

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"weft/store"
)

// ownerInfo is the content of owner.lock while an owner has the store.
type ownerInfo struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host,omitempty"`
	Version string    `json:"version,omitempty"`
	Socket  string    `json:"socket,omitempty"`
	Since   time.Time `json:"since"`
}

// ownership is a held owner.lock.
type ownership interface {
	// announce replaces the content.
	announce(content []byte) error
	// still returns nil while the file at the path is the one that is held.
	still() error
	// release empties the file, if announce has filled it, and lets go.
	release()
}

// heldError is what taking a lock answers when somebody else has it: an owner,
// or readers.
type heldError struct {
	byOwner bool
	here    bool // this process is the owner
}

func (heldError) Error() string { return "held" }

// takeOwnership waits up to patience for owner.lock. It polls because flock has
// no deadline and announces nothing.
func takeOwnership(p place, mode Mode, patience time.Duration) (ownership, error) {
	deadline := time.Now().Add(patience)
	for {
		own, err := tryOwnership(p, mode == Look)
		var held heldError
		if !errors.As(err, &held) {
			return own, err
		}
		if time.Now().After(deadline) {
			return nil, whoHolds(p, held)
		}
		time.Sleep(min(50*time.Millisecond, patience))
	}
}

func tryOwnership(p place, shared bool) (ownership, error) {
	if p.onDisk {
		return tryFileLock(p.ownerLock(), shared)
	}
	return tryMemLock(p, shared)
}

// whoHolds names the owner. Readers leave no name, and what the file says is
// then about somebody who is gone.
func whoHolds(p place, held heldError) error {
	if held.here {
		return &store.LockedError{PID: os.Getpid(), Here: true}
	}
	if !held.byOwner {
		return fmt.Errorf("it is open for reading: %w", &store.LockedError{})
	}
	var info ownerInfo
	raw, err := readFile(p.fs, p.ownerLock())
	if err != nil || json.Unmarshal(raw, &info) != nil {
		return &store.LockedError{} // just being written, or just released
	}
	return &store.LockedError{PID: info.PID, Host: info.Host, Since: info.Since, Socket: info.Socket}
}

// announceOwner writes who we are into owner.lock.
func announceOwner(own ownership, opts Options) error {
	host, _ := os.Hostname() // for people; may be unknown
	content, err := json.Marshal(ownerInfo{
		PID: os.Getpid(), Host: host, Version: opts.Version, Socket: opts.Socket,
		Since: time.Now().UTC().Truncate(time.Second),
	})
	if err != nil {
		return err
	}
	return own.announce(append(content, '\n'))
}
