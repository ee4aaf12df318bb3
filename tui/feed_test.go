package tui

import (
	"testing"
	"time"

	"weft/flow"
)

// TestFeedIsCalmOnlySinceItHears: no notice means that nothing happened only from
// when the console is told of it.
func TestFeedIsCalmOnlySinceItHears(t *testing.T) {
	r := stalledRig(t, newFake(), 100, 30)
	r.keys("8")
	r.shows("unknown: not read yet")
	r = newRig(t, newFake(), 100, 30)
	r.keys("8")
	r.shows("nothing happened since 12:04:31Z")
	r.f.hungUp, r.stall = true, begins
	r.pass(time.Second)
	r.shows("unknown: what happens is not told: ")
	r.lacks("nothing happened")
	r.stall = nil
	r.release()
	r.pass(4 * time.Second)
	r.shows("nothing happened since 12:04:3")
	r.lacks("since 12:04:31Z")
	r.keys("z")
	r.f.tell(flow.Notice{Kind: flow.NoticeStep, Text: "unseen"})
	r.pass(10 * time.Second)
	r.keys("z")
	r.shows("nothing happened since 12:04:4")
}
