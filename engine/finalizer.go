package engine

import (
	"context"

	"weft/flow"
	"weft/store"
)

type owing struct{}

func (l *life) putStaged(*store.Batch)               {}
func (l *life) stagedStored()                        {}
func (l *life) owe(*store.Batch, flow.Status) *owing { return nil }
func (e *Engine) oweNow(*owing)                      {}

func owes(store.Reader, flow.Ref) error          { return nil }
func dropTeardownResidue(*store.Batch, flow.Ref) {}

func (e *Engine) freezeDead(store.Snapshot, flow.Bulk, func(flow.Run) error) error { return nil }
func (e *Engine) teardownDeed(context.Context, flow.Deed, flow.Ref, *flow.Audit) (flow.Ref, error) {
	return flow.Ref{}, flow.ErrNotOffered
}
