package timers

import (
	"sync"
	"time"
)

// Slot is the right of one action to be under way. The zero Slot is no action's.
// A Slot has one holder; a copy hands it on.
type Slot struct {
	of  *slots
	era uint64
}

// Free gives the slot back. After the first time it does nothing.
func (s *Slot) Free() {
	if s.of != nil {
		s.of.free(s.era)
		s.of = nil
	}
}

// slots counts the actions under way.
type slots struct {
	most     int
	patience time.Duration
	news     chan struct{} // told when somebody waits for a slot and one is free

	mu     sync.Mutex
	taken  int
	era    uint64    // raised when the holders of all slots were given up
	moved  time.Time // when one was last taken or freed
	wanted bool
}

// take answers false when no slot is free; news tells then when one is.
func (s *slots) take() (Slot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.most {
		if s.patience == 0 || time.Since(s.moved) < s.patience {
			s.wanted = true
			return Slot{}, false
		}
		s.era++
		s.taken = 0
	}
	s.taken++
	s.moved = time.Now()
	return Slot{of: s, era: s.era}, true
}

func (s *slots) free(era uint64) {
	s.mu.Lock()
	if era == s.era {
		s.taken--
		s.moved = time.Now()
	}
	tell := s.wanted && s.taken < s.most
	if tell {
		s.wanted = false
	}
	s.mu.Unlock()
	if tell {
		nudge(s.news)
	}
}

// nudge tells a loop that waits on a channel of capacity 1.
func nudge(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}
