package pebble

import (
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// maxEvents bounds what is remembered.
const maxEvents = 256

// throttle is the pause in each background error. Without it Pebble retries a
// flush that does not fit a thousand times a second.
const throttle = 100 * time.Millisecond

// Event is something that happened inside the store and that no caller was
// told: a background error, a write stall, damage found.
type Event struct {
	At   time.Time // the last time
	Text string
	// Count is how often it happened in a row.
	Count int
}

// events is the bounded list of what happened. The zero value is ready.
type events struct {
	mu   sync.Mutex
	list []Event
}

// Events returns the recent events, oldest first.
func (s *Store) Events() []Event {
	s.events.mu.Lock()
	defer s.events.mu.Unlock()
	return append([]Event(nil), s.events.list...)
}

// add never blocks for long: it is called with Pebble's locks held.
func (e *events) add(format string, args ...any) {
	const longest = 500 // corruption errors carry stacks
	text := fmt.Sprintf(format, args...)
	text = text[:min(len(text), longest)]
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.list); n > 0 && e.list[n-1].Text == text {
		e.list[n-1].Count++
		e.list[n-1].At = time.Now()
		return
	}
	if len(e.list) >= maxEvents {
		e.list = append(e.list[:0], e.list[maxEvents/4:]...)
	}
	e.list = append(e.list, Event{At: time.Now(), Text: text, Count: 1})
}

// alarm is how Pebble's callbacks reach whoever must act. It is made before
// Pebble is opened, so that a failure while opening is heard as well.
type alarm struct {
	events *events
	moves  moves
	once   sync.Once
	// fatal is closed when Pebble gave up; why is set before.
	fatal chan struct{}
	why   error
	// then is told the reason, once, if it is set when Pebble gives up.
	mu   sync.Mutex
	then func(error)
}

func newAlarm(e *events) *alarm { return &alarm{events: e, fatal: make(chan struct{})} }

// raise records that Pebble cannot go on.
func (a *alarm) raise(err error) {
	a.once.Do(func() {
		a.mu.Lock()
		a.why = err
		then := a.then
		close(a.fatal)
		a.mu.Unlock()
		if then != nil {
			then(err)
		}
	})
}

// onFatal makes then hear of a failure, also of one that has happened.
func (a *alarm) onFatal(then func(error)) {
	a.mu.Lock()
	a.then = then
	why := a.why
	a.mu.Unlock()
	if why != nil {
		then(why)
	}
}

// Infof implements pebble.Logger. Pebble's chatter tells nobody anything.
func (a *alarm) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (a *alarm) Errorf(format string, args ...any) { a.events.add(format, args...) }

// Fatalf implements pebble.Logger. It never returns: after it Pebble would
// answer success for writes that are lost. It does not exit either: the process
// is not ours to end.
func (a *alarm) Fatalf(format string, args ...any) {
	a.events.add(format, args...)
	a.raise(fatalError(format, args))
	select {}
}

// fatalError keeps the cause, which Pebble passes as an argument.
func fatalError(format string, args []any) error {
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			return err
		}
	}
	return fmt.Errorf(format, args...)
}

// listener records what is worth telling. Its functions are called with
// Pebble's locks held: none may call Pebble or wait for anybody.
func (a *alarm) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(err error) {
			a.events.add("background work: %v", err)
			time.Sleep(throttle)
		},
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			a.events.add("damage in %s: %v", info.Path, info.Details)
		},
		DiskSlow:        func(info pebble.DiskSlowInfo) { a.events.add("disk slow: %s", info) },
		LowDiskSpace:    func(info pebble.LowDiskSpaceInfo) { a.events.add("low disk space: %s", info) },
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) { a.events.add("writes stall: %s", info.Reason) },
		WriteStallEnd:   func() { a.events.add("writes go on") },
		FlushBegin:      func(pebble.FlushInfo) { a.moves.begin() },
		FlushEnd:        func(pebble.FlushInfo) { a.moves.end() },
		CompactionBegin: func(pebble.CompactionInfo) { a.moves.begin() },
		CompactionEnd:   func(pebble.CompactionInfo) { a.moves.end() },
		FormatUpgrade: func(v pebble.FormatMajorVersion) {
			a.events.add("Pebble format raised to %d", v)
		},
	}
}
