package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
)

// thousands groups the digits of n: 3,400.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size is n bytes in words: 120 MiB.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for ; f >= 1024 && i < len(units)-1; i++ {
		f /= 1024
	}
	if i == 0 || f >= 100 {
		return fmt.Sprintf("%.0f %s", f, units[i])
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

// lines is a log handler that writes the messages alone. The engine gives it
// what workflow code logs, each line once.
type lines struct{ out io.Writer }

// Enabled implements [slog.Handler].
func (l lines) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle implements [slog.Handler].
func (l lines) Handle(_ context.Context, r slog.Record) error {
	_, err := fmt.Fprintln(l.out, r.Message)
	return err
}

// WithAttrs implements [slog.Handler].
func (l lines) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements [slog.Handler].
func (l lines) WithGroup(string) slog.Handler { return l }
