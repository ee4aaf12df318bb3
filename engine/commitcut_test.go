package engine_test

import (
	"sync/atomic"
	"testing"

	"weft/store"
	"weft/store/memory"
)

// cutAtCommits plays something once to count its commits, then again and again
// with a process that dies before or after one of them, and a next one that dies
// at the commits again names for it; 0 is at none. Every so many commits are
// taken as stride says. What is played is told how each tenure is to die, and
// goes on after it while plan says so.
func cutAtCommits(t *testing.T, stride func(commits int) int, again func(commit int) []int,
	play func(plan func(tenure int, s *memory.Store) bool)) {
	t.Helper()
	var commits atomic.Int64
	play(func(_ int, s *memory.Store) bool {
		s.SetHook(func(*store.Batch) error { commits.Add(1); return nil })
		return false
	})
	all := int(commits.Load())
	points, every := 0, stride(all)
	for k := 1; k <= all; k += every {
		for _, moment := range []memory.Moment{memory.Before, memory.After} {
			for _, next := range again(k) {
				points++
				play(func(tenure int, s *memory.Store) bool {
					switch {
					case tenure == 0:
						s.FailCommit(k, moment)
					case tenure == 1 && next > 0:
						s.FailCommit(next, moment)
					}
					return tenure <= 1
				})
				if t.Failed() {
					t.Fatalf("cut at commit %d (%d), then at %d", k, moment, next)
				}
			}
		}
	}
	t.Logf("%d commits, %d cuts", all, points)
}

func everyCommit(int) int { return 1 }
