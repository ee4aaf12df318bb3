package engine_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
)

// large is from how many bytes on the log tells of a payload.
const large = 64 << 10

// told are the log's lines about payloads, without time and run.
func (l *ledger) told() (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.buf.String()) {
		if _, rest, ok := strings.Cut(line, "level="); ok && strings.Contains(rest, "payload") {
			before, rest, _ := strings.Cut(rest, "run=")
			_, after, _ := strings.Cut(rest, " ")
			out = append(out, before+strings.TrimSpace(after))
		}
	}
	return out
}

// TestALargePayloadIsToldOfOnce for each type, kind and name: a loop, another run
// and a replay repeat nothing.
func TestALargePayloadIsToldOfOnce(t *testing.T) {
	w := flowOf(func(ctx *engine.Context, _ string) (string, error) {
		for _, memo := range []struct {
			name string
			size int
		}{{"small", large - 1}, {"big", large}, {"big", large + 1}, {"bigger", large + 2}} {
			if _, err := engine.Memo(ctx, memo.name, func() (string, error) { return ofSize(memo.size), nil }); err != nil {
				return "", err
			}
		}
		return word.Wait(ctx)
	})
	other := w
	other.Name = "other"
	o := typed(w, other)
	var log ledger
	o.Log = slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})
	bubble(t, o, func(v *env) {
		begin(v, w, "a", ofSize(large-1))
		begin(v, w, "b", ofSize(large+3))
		time.Sleep(time.Minute) // parked
		sends(v, word, "b", ofSize(large+4))
		time.Sleep(time.Minute)
		sends(v, word, "a", ofSize(large+5))
		time.Sleep(time.Minute)
		begin(v, other, "c", "")
		time.Sleep(time.Minute)
		line := func(typ, step, payload, bytes string) string {
			return `WARN msg="payload is large" type=` + typ + " step=" + step + " payload=" + payload + " bytes=" + bytes
		}
		want := []string{
			line("other", "2", `"memo big"`, "65536"), line("other", "4", `"memo bigger"`, "65538"),
			line("w", "2", `"memo big"`, "65536"), line("w", "4", `"memo bigger"`, "65538"),
			line("w", `""`, "input", "65539"), line("w", `""`, `"signal word"`, "65540"), line("w", `""`, "result", "65540"),
		}
		got := log.told()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			v.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestWhatIsRefusedIsNotToldOf: its caller knows.
func TestWhatIsRefusedIsNotToldOf(t *testing.T) {
	w := flowOf(func(*engine.Context, string) (string, error) { return "", nil })
	o := limited(w)
	var log ledger
	o.Log = log.handler()
	bubble(t, o, func(v *env) {
		if _, err := w.Start(v.ctx, v.e, ofSize(large), engine.StartOptions{}); err == nil {
			v.Error("was started")
		}
		begin(v, w, "fits", ofSize(limit))
		if got := log.told(); got != nil {
			v.Errorf("told %q", got)
		}
	})
}

// TestALimitOfMoreThanTheLogTellsOf lets in what is as large, and tells of it.
func TestALimitOfMoreThanTheLogTellsOf(t *testing.T) {
	w := flowOf(func(*engine.Context, string) (string, error) { return "", nil })
	o := typed(w)
	o.MaxPayload = 2 * large
	var log ledger
	o.Log = log.handler()
	bubble(t, o, func(v *env) {
		begin(v, w, "fits", ofSize(2*large))
		var refused *flow.LimitError
		if _, err := w.Start(v.ctx, v.e, ofSize(2*large+1), engine.StartOptions{}); !errors.As(err, &refused) || refused.Max != 2*large {
			v.Errorf("got %v", err)
		}
		if got := log.told(); len(got) != 1 {
			v.Errorf("told %q", got)
		}
	})
}
