package engine

import (
	"math"
	"sync"

	"weft/flow"
)

// lives holds the runs in memory. A run is in it from the decision to launch
// it until its last goroutine has ended, so that no run ever has two lives.
type lives struct {
	// wg counts a goroutine for every life from its admission on, so that who
	// closes waits also for those that are about to begin.
	wg    *sync.WaitGroup
	mu    sync.Mutex
	byRef map[flow.Ref]*life
	// places bounds the runs in memory; backlog says that a run was not
	// launched for want of one and waits in the ready set.
	places  int
	backlog bool
	closed  bool
	// forFeeder and forTimers tell that a place became free. Each has one
	// reader: a loop must not use up what the other waits for.
	forFeeder, forTimers chan struct{} // capacity 1
}

func newLives(places int, wg *sync.WaitGroup) *lives {
	return &lives{wg: wg, byRef: map[flow.Ref]*life{}, places: places,
		forFeeder: make(chan struct{}, 1), forTimers: make(chan struct{}, 1)}
}

func (s *lives) get(ref flow.Ref) *life {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byRef[ref]
}

func (s *lives) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byRef)
}

// admit enters a life. It answers false when the run has one, which then knows
// that it was woken, when there is no place, and after closing.
func (s *lives) admit(l *life) (admitted, full bool) { return s.enter(l, s.places) }

// admitBeyond is admit without a bound: an act has to find the run in memory.
func (s *lives) admitBeyond(l *life) bool {
	admitted, _ := s.enter(l, math.MaxInt)
	return admitted
}

func (s *lives) enter(l *life, places int) (admitted, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.byRef[l.ref]; old != nil {
		old.mu.Lock()
		// A life that is still being read may find the run as it was before.
		if old.cold || old.leaving == leaveParked || old.leaving == leaveSuspend || old.leaving == leaveLost || old.def == nil {
			old.again = true
		}
		old.mu.Unlock()
		return false, false
	}
	if s.closed {
		return false, false
	}
	if len(s.byRef) >= places {
		s.backlog = true
		return false, true
	}
	s.byRef[l.ref] = l
	s.wg.Add(1)
	return true, false
}

// visit counts a goroutine that is none of a life here; false after closing.
func (s *lives) visit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Add(1)
	}
	return !s.closed
}

// admitCold enters a life that stands in for a run whose code is not in memory.
// It needs no place, and is admitted after closing too, because it runs
// nothing; false when the run has a life.
func (s *lives) admitCold(l *life) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byRef[l.ref] != nil {
		return false
	}
	s.byRef[l.ref] = l
	return true
}

// remove takes out a life whose last goroutine has ended. If the run was woken
// meanwhile, a new life takes its place at once, so that the wake cannot be
// lost for want of one; remove returns it then.
func (s *lives) remove(l *life, again func() *life) *life {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.mu.Lock()
	woken := l.again && !s.closed
	l.mu.Unlock()
	if woken {
		next := again()
		s.byRef[l.ref] = next
		s.wg.Add(1)
		return next
	}
	s.free(l)
	return nil
}

// forget takes out a life that was admitted and never ran.
func (s *lives) forget(l *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free(l)
	s.wg.Done()
}

func (s *lives) free(l *life) {
	delete(s.byRef, l.ref)
	for _, loop := range []chan struct{}{s.forFeeder, s.forTimers} {
		select {
		case loop <- struct{}{}:
		default:
		}
	}
}

// takeBacklog reports and forgets that runs wait for a place.
func (s *lives) takeBacklog() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.backlog
	s.backlog = false
	return had
}

// room reports whether another run may be launched.
func (s *lives) room() bool { return s.vacant() > 0 }

// vacant is how many runs may be launched now.
func (s *lives) vacant() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places - len(s.byRef)
}

// close admits nothing more and returns those that are in memory.
func (s *lives) close() []*life {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.all()
}

// all are the runs in memory.
func (s *lives) all() []*life {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*life, 0, len(s.byRef))
	for _, l := range s.byRef {
		out = append(out, l)
	}
	return out
}
