package wefttest

import (
	"context"
	"errors"
	"testing/synctest"
	"time"

	"weft/engine"
	"weft/flow"
)

// Later makes every attempt leave its outcome to somebody outside, as an
// activity does with [engine.CompleteLater]. [Mocked.Token] is what the outcome is
// told with: see [Complete].
func (m *Mocked[I, O]) Later() *Mocked[I, O] {
	return m.Do(func(ctx context.Context, _ I) (none O, err error) {
		token, err := engine.CompleteLater(ctx)
		if err != nil {
			return none, err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.token = token
		return none, engine.ErrLater
	})
}

// Token is that of the latest attempt which was left to somebody outside by
// [Mocked.Later]. It waits until there is one; if there is none after
// Options.Limit the test fails.
func (m *Mocked[I, O]) Token() flow.Token {
	m.v.Helper()
	for end := time.Now().Add(m.v.o.Limit); ; time.Sleep(time.Second) {
		synctest.Wait()
		m.mu.Lock()
		token := m.token
		m.mu.Unlock()
		if token != "" {
			return token
		}
		if time.Now().After(end) {
			m.v.Fatalf("activity %s was left to nobody outside within %v of virtual time", m.name, m.v.o.Limit)
		}
	}
}

// Complete tells the result of an attempt that was left to somebody outside. The
// error is that of engine.Activity.Complete, for instance a [*flow.TokenError]
// because the attempt is over. When the process dies meanwhile, the next one is
// told. A failure or a heartbeat is told with the activity's Fail or Beat and
// [Env.Engine].
func Complete[I, O any](v *Env, a engine.Activity[I, O], token flow.Token, out O) error {
	v.Helper()
	return try(v, func(e *engine.Engine, again int) error {
		err := a.Complete(v.Context(), e, token, out)
		if again > 0 && errors.Is(err, flow.ErrToken) {
			return nil // the process died after it was told, before it could say so
		}
		return err
	})
}
