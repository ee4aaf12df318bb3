package engine_test

import (
	"strings"
	"testing"
	"time"

	"weft/engine"
	"weft/flow"
	"weft/store/memory"
)

func TestOptionsThatAreRefused(t *testing.T) {
	ok := func(*engine.Context, int) (int, error) { return 0, nil }
	flowNamed := func(name, version string) engine.Workflow[int, int] {
		return engine.Workflow[int, int]{Name: name, Version: version, Do: ok}
	}
	twoSignals := flowNamed("w", "")
	twoSignals.Signals = []engine.Message{poke, poke}
	badSignal := flowNamed("w", "")
	badSignal.Signals = []engine.Message{engine.Signal[int]{Name: "a\n"}}
	noSignal := flowNamed("w", "")
	noSignal.Signals = []engine.Message{nil}
	tests := map[string]struct {
		o    engine.Options
		says []string
	}{
		"a mode that is none":      {engine.Options{Mode: "fast"}, []string{`Mode "fast"`}},
		"a negative Grace":         {engine.Options{Grace: -1}, []string{"Grace"}},
		"negative numbers, all":    {engine.Options{MaxIdle: -1, MaxLive: -2, ActivitySlots: -3, MaxRecoveries: -4, Ring: -5}, []string{"MaxIdle", "MaxLive", "ActivitySlots", "MaxRecoveries", "Ring"}},
		"a payload beyond a batch": {engine.Options{MaxPayload: 63<<20 + 1}, []string{"MaxPayload 66060289", "at most 66060288"}},
		"a negative payload":       {engine.Options{MaxPayload: -1}, []string{"MaxPayload -1"}},
		"a type without a name":    {typed(flowNamed("", "")), []string{"workflow name"}},
		"a name with a line end":   {typed(flowNamed("a\nb", "")), []string{"workflow name"}},
		"a version with a NUL":     {typed(flowNamed("a", "\x00")), []string{"workflow version"}},
		"a type without code":      {typed(engine.Workflow[int, int]{Name: "w"}), []string{"no Do function"}},
		"two types of one name":    {typed(flowNamed("w", "1"), flowNamed("w", "2")), []string{`"w" is registered twice`}},
		"two signals of one name":  {typed(twoSignals), []string{"poke is declared twice"}},
		"a signal with a bad name": {typed(badSignal), []string{"signal name"}},
		"a nil type":               {typed(nil), []string{"nil"}},
		"a nil signal":             {typed(noSignal), []string{"nil"}},
		"several at once":          {typed(flowNamed("", ""), engine.Workflow[int, int]{Name: "x"}), []string{"workflow name", "no Do"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := memory.New(memory.Options{})
			defer s.Close()
			_, err := engine.Open(t.Context(), s, tc.o)
			if err == nil {
				t.Fatal("was accepted")
			}
			for _, text := range tc.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q does not mention %q", err, text)
				}
			}
			if n := s.Health().Batches; n != 0 {
				t.Errorf("%d batches were written", n)
			}
		})
	}
}

func TestTheZeroOptionsOpenAStore(t *testing.T) {
	bubble(t, engine.Options{}, func(v *env) {
		if i := v.info(); i.Mode != flow.ModeRun || !i.Lease.Mine || i.Lease.Holder == "" {
			t.Errorf("info %+v", i)
		}
		time.Sleep(time.Hour)
	})
}

func TestGraceIsTakenAsGiven(t *testing.T) {
	o := typed(collector)
	o.Grace = time.Minute
	bubble(t, o, func(v *env) {
		begin(v, collector, "a", 1)
		time.Sleep(59 * time.Second)
		if v.info().Live != 1 {
			t.Error("parked before Grace was over")
		}
		time.Sleep(2 * time.Second)
		if v.info().Live != 0 {
			t.Error("not parked after Grace")
		}
	})
}

func TestOpenOfAStoreThatIsClosed(t *testing.T) {
	s := memory.New(memory.Options{})
	s.Close()
	if _, err := engine.Open(t.Context(), s, engine.Options{}); err == nil {
		t.Error("was opened")
	}
}
