package engine

import (
	"context"
	"log/slog"
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

// Enabled is false while the life replays: while recorded events, or a wait that
// an earlier life has registered, lie ahead of the code. What the code logged
// behind the last of them and before a crash is logged again.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	q.life.mu.Lock()
	replays := q.life.ghost != nil || q.life.replaying() || !q.life.live && len(q.life.waits) > 0
	q.life.mu.Unlock()
	return !replays && q.Handler.Enabled(ctx, level)
}

// WithAttrs implements [slog.Handler].
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quiet{q.Handler.WithAttrs(attrs), q.life}
}

// WithGroup implements [slog.Handler].
func (q quiet) WithGroup(name string) slog.Handler {
	return quiet{q.Handler.WithGroup(name), q.life}
}
