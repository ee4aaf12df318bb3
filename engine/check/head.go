package check

import (
	"bytes"
	"maps"
	"slices"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// head checks a head and looks up the rows it must have.
func (w *walk) head(kv store.Row) error {
	id, ok := row.ParseHead(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a head")
		return nil
	}
	h, err := row.DecodeHead(kv.Value)
	if err != nil {
		w.found(kv.Key, "the head does not decode: %v", err)
		return nil
	}
	w.fields(kv.Key, h)
	if !h.Status.Valid() {
		return nil
	}
	w.tally[row.Count{Type: h.Type, Version: h.Version, Status: h.Status}]++
	if err := w.expect(kv.Key, "index row", row.IndexKey(h.Type, h.Version, h.Status, h.CreatedAt, id), h.Run); err != nil {
		return err
	}
	if h.Status.Terminal() {
		err := w.expect(kv.Key, "row in the order of ending", row.TerminalKey(h.ClosedAt, id), h.Run)
		if err != nil {
			return err
		}
	}
	for _, key := range h.Labels(id) {
		if err := w.expect(kv.Key, "index row", key, h.Run); err != nil {
			return err
		}
	}
	if err := w.wakes(kv.Key, flow.Ref{ID: id, Run: h.Run}, h); err != nil {
		return err
	}
	first, err := w.r.Get(row.EventKey(flow.Ref{ID: id, Run: h.Run}, 1))
	if err == nil && first == nil {
		w.found(kv.Key, "the journal has no event 1")
	}
	return err
}

// wakes checks that a head has the timer it counts on.
func (w *walk) wakes(key []byte, ref flow.Ref, h row.Head) error {
	var timer []byte
	switch {
	case h.Status == flow.Pending:
		timer = row.TimerKey(h.StartAt, ref, row.StepStart)
	case h.Status == flow.Running && h.Deadline != 0:
		timer = row.TimerKey(h.Deadline, ref, row.StepDeadline)
	default:
		return nil
	}
	value, err := w.r.Get(timer)
	if err == nil && value == nil {
		w.found(key, "the timer %s is missing", printable(timer))
	}
	return err
}

// fields checks what a head says about itself.
func (w *walk) fields(key []byte, h row.Head) {
	if _, err := flow.ParseRunID(string(h.Run)); err != nil {
		w.found(key, "%v", err)
	}
	if h.Type == "" {
		w.found(key, "the type is empty")
	}
	if !h.Status.Valid() {
		w.found(key, "%s is none", h.Status)
	}
	if h.CreatedAt <= 0 {
		w.found(key, "the time of creation is missing")
	}
	if h.Status.Valid() && h.Status.Terminal() != (h.ClosedAt != 0) {
		w.found(key, "the run is %s, but its time of ending is %s", h.Status, h.ClosedAt)
	}
}

// expect looks up a row that names the run.
func (w *walk) expect(at []byte, what string, key []byte, run flow.RunID) error {
	value, err := w.r.Get(key)
	switch {
	case err != nil:
		return err
	case value == nil:
		w.found(at, "the %s %s is missing", what, printable(key))
	case string(value) != string(run):
		w.found(at, "the %s %s names run %s, the head run %s", what, printable(key), printable(value), run)
	}
	return nil
}

// index checks that an index row has its head.
func (w *walk) index(kv store.Row) error {
	x, ok := row.ParseIndex(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of an index row")
		return nil
	}
	return w.agree(kv, x.ID, func(h row.Head) []byte {
		return row.IndexKey(h.Type, h.Version, h.Status, h.CreatedAt, x.ID)
	})
}

// terminal checks that a row in the order of ending has its head.
func (w *walk) terminal(kv store.Row) error {
	_, id, ok := row.ParseTerminal(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of an ended run")
		return nil
	}
	return w.agree(kv, id, func(h row.Head) []byte {
		if !h.Status.Terminal() {
			return nil
		}
		return row.TerminalKey(h.ClosedAt, id)
	})
}

// label checks that an index row of a tag or an attribute has its head.
func (w *walk) label(kv store.Row) error {
	_, _, id, ok := row.ParseTag(kv.Key)
	if !ok {
		_, _, id, ok = row.ParseAttribute(kv.Key)
	}
	if !ok {
		w.found(kv.Key, "this is no key of a tag or an attribute")
		return nil
	}
	o, err := w.ownerOf(id)
	switch {
	case err != nil:
		return err
	case !o.exists:
		w.found(kv.Key, "there is no run of this id")
	case o.decodes && !slices.ContainsFunc(o.head.Labels(id), func(key []byte) bool { return bytes.Equal(key, kv.Key) }):
		w.found(kv.Key, "the head has no such tag or attribute")
	}
	return nil // a wrong run id is named at the head
}

// agree checks that the key is the one the head asks for.
func (w *walk) agree(kv store.Row, id flow.WorkflowID, key func(row.Head) []byte) error {
	o, err := w.ownerOf(id)
	switch {
	case err != nil:
		return err
	case !o.exists:
		w.found(kv.Key, "there is no run of this id")
	case o.decodes && !bytes.Equal(key(o.head), kv.Key):
		w.found(kv.Key, "the head says otherwise: type %s, version %s, %s, created %s, ended %s",
			o.head.Type, o.head.Version, o.head.Status, o.head.CreatedAt, o.head.ClosedAt)
	}
	return nil // a wrong run id is named at the head
}

// count notes a counter; compareCounts judges it when all heads were seen.
func (w *walk) count(kv store.Row) error {
	c, ok := row.ParseCount(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of a counter")
		return nil
	}
	n, err := store.DecodeCounter(kv.Value)
	if err != nil || n <= 0 {
		w.found(kv.Key, "the counter is not a positive number: %d, %v", n, err)
	}
	w.counters[c] = n
	return nil
}

func (w *walk) compareCounts() {
	names := maps.Clone(w.tally)
	maps.Copy(names, w.counters)
	var keys [][]byte
	for c := range names {
		if w.tally[c] != w.counters[c] {
			keys = append(keys, row.CountKey(c.Type, c.Version, c.Status))
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	for _, key := range keys {
		c, _ := row.ParseCount(key)
		w.found(key, "the counter says %d, there are %d heads", w.counters[c], w.tally[c])
	}
}
