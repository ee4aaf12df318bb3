package views_test

import (
	"fmt"
	"testing"
	"time"

	"weft/flow"
	"weft/keymap"
	"weft/views"
)

// BenchmarkKeyToFrame is what a key press costs until the frame is there.
func BenchmarkKeyToFrame(b *testing.B) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var page flow.Page
	for i := range 400 {
		page.Runs = append(page.Runs, flow.Run{Ref: flow.Ref{ID: flow.WorkflowID(fmt.Sprintf("ord-%06d-注文", i)), Run: flow.RunID(fmt.Sprint(i))},
			Type: "order-process", Status: flow.Running, Waiting: "wait signal:paid", CreatedAt: flow.InstantOf(now) - flow.Instant(i*1000)})
		page.Cursors = append(page.Cursors, fmt.Sprint(i))
	}
	page.More, page.Total = true, 1_000_000
	theme, _ := views.ThemeNamed("dark")
	s := views.Screen{Width: 200, Height: 60, Open: views.PaneRunning, Place: keymap.Runs, Look: views.Look{Theme: theme, Now: now}}
	s.List = views.NewList(views.PaneRunning, "Running", flow.Filter{}, flow.ByCreated, "").Sized(50).Take(views.Anew, page)
	for b.Loop() {
		s.List, _ = s.List.Press(views.Press{Action: keymap.Down})
		if s.Frame() == "" {
			b.Fatal("no frame")
		}
	}
}
