package check

import (
	"encoding/json"
	"strconv"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// idem checks what a start's idempotency key leads to. The run itself may be
// gone: the key outlives it.
func (w *walk) idem(kv store.Row) error {
	ref, err := row.DecodeRef(kv.Value)
	if err == nil {
		_, err = flow.ParseWorkflowID(string(ref.ID))
	}
	if err == nil {
		_, err = flow.ParseRunID(string(ref.Run))
	}
	if err != nil {
		w.found(kv.Key, "the start it leads to does not decode: %v", err)
	}
	return nil
}

func (w *walk) audit(kv store.Row) error {
	number, ok := row.ParseAudit(kv.Key)
	if !ok {
		w.found(kv.Key, "this is no key of an audit record")
		return nil
	}
	if _, err := row.DecodeAudit(number, kv.Value); err != nil {
		w.found(kv.Key, "the audit record does not decode: %v", err)
	}
	return nil
}

// single checks the rows that there is one of.
func (w *walk) single(kv store.Row) error {
	switch string(kv.Key) {
	case string(row.LeaseEpoch):
		if len(kv.Value) != 8 {
			w.found(kv.Key, "the epoch has %d bytes, want 8", len(kv.Value))
		}
	case string(row.LeaseHolder):
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(kv.Value, &fields); err != nil {
			w.found(kv.Key, "the holder of the lease does not decode: %v", err)
		}
	case string(row.LeaseHistory):
		if !json.Valid(kv.Value) {
			w.found(kv.Key, "the history of the lease is no JSON")
		}
	case string(row.SchemaVersion):
		if _, err := strconv.ParseUint(string(kv.Value), 10, 64); err != nil {
			w.found(kv.Key, "the version of the schema is no number: %s", printable(kv.Value))
		}
	default:
		w.found(kv.Key, "the key is unknown")
	}
	return nil
}

// teardowns leaves the two counters of teardowns to that package.
func (w *walk) teardowns(kv store.Row) error {
	if key := string(kv.Key); key != string(row.CountOwed) && key != string(row.CountDead) {
		w.found(kv.Key, "the key is unknown")
	}
	return nil
}
