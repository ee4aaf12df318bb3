package engine

import (
	"context"
	"log/slog"

	"weft/flow"
)

// quiet is a log handler that drops what code logs while its life replays.
type quiet struct {
	slog.Handler
	life *life
}

// logger is made when it is first asked for: most code does not log.
func (l *life) logger() *slog.Logger {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.log == nil {
		l.log = slog.New(quiet{l.eng.o.Log, l}).With("workflow", string(l.ref.ID), "run", string(l.ref.Run), "type", l.def.name)
	}
	return l.log
}

// codeRan is the index behind the last event to which code has run already. Of
// the outcomes that were recorded during a suspension, while there was no code,
// that is the first: no code has run between them.
func codeRan(journal []flow.Event) int {
	ran, asleep, late := 0, false, 0
	for i := range journal {
		switch journal[i].Kind {
		case flow.EventSuspended:
			asleep, late = true, 0
		case flow.EventResumed:
			asleep = false
		case flow.EventStep, flow.EventUpdate:
			if !asleep || late == 0 {
				ran = i + 1
			}
			late++
		}
	}
	return ran
}

// Enabled is false while the life replays: while recorded events to which code
// has run, or a wait that an earlier life has registered, lie ahead of it. What
// the code logged behind the last of them and before a crash is logged again.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	q.life.mu.Lock()
	replays := q.life.retraces()
	q.life.mu.Unlock()
	return !replays && q.Handler.Enabled(ctx, level)
}

// retraces reports whether an earlier life has been where the code is now, and
// has recorded something since. mu is held.
func (l *life) retraces() bool {
	return l.ghost != nil || l.replaying() && l.next < l.ran || !l.live && len(l.waits) > 0
}

// WithAttrs implements [slog.Handler].
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quiet{q.Handler.WithAttrs(attrs), q.life}
}

// WithGroup implements [slog.Handler].
func (q quiet) WithGroup(name string) slog.Handler {
	return quiet{q.Handler.WithGroup(name), q.life}
}
