package tui

import (
	"context"

	"weft/flow"
)

// Console is everything the screen may know and do. An engine in the same
// process, one behind a socket or a fake in a test all look the same through
// it. Implementations are safe for use by several goroutines, honour ctx in
// every call and fail with the errors package flow declares, so that one gate
// can say why something is refused.
type Console interface {
	// Info is the state of the engine and its store: lease, counts, what is in
	// flight. It answers also when the lease is lost; only a closed engine
	// fails ([flow.ErrClosed]).
	Info(ctx context.Context) (flow.Info, error)

	// Page reads one window of one list from one snapshot. It answers within
	// its scan budget, with Total -1 when it could not count everything.
	Page(ctx context.Context, q flow.Query) (flow.Page, error)

	// Detail reads one run from one snapshot, as much as part asks for. It is
	// addressed by workflow id and run id; an empty run id means the latest
	// run of the id. A run that is gone fails with [flow.ErrNotFound].
	Detail(ctx context.Context, ref flow.Ref, part flow.Part) (flow.Detail, error)

	// Ask puts a query to a workflow. It changes nothing.
	Ask(ctx context.Context, ask flow.Ask) (flow.Answer, error)

	// Do does one act and returns once it is durable, with the number of its
	// audit record. It is refused as a whole or done as a whole; a
	// [*flow.OutcomeUnknownError] says that neither is certain.
	Do(ctx context.Context, act flow.Act) (flow.Receipt, error)

	// Preview tells what a bulk act would touch, with a token that freezes it.
	Preview(ctx context.Context, bulk flow.Bulk) (flow.Preview, error)

	// News waits for a notice numbered from or later and answers the newest of
	// them, at most most; 0 means all that are kept. With from 0 it tells at
	// once the number to go on from. A bounded ring lies behind it, so the
	// engine never waits for a watcher: one that is too slow gets a notice with
	// Missed > 0 and reads again what it shows. It fails with [flow.ErrClosed]
	// when the engine closes, and with the error of ctx.
	News(ctx context.Context, from uint64, most int) (flow.News, error)

	// Close takes no further work, waits for what is in flight as long as ctx
	// allows, then releases the lease and the store. Only the first call does
	// so; every call returns the first one's result.
	Close(ctx context.Context) error
}
