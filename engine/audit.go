package engine

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// putAudit puts the record of an act into the act's own batch.
func putAudit(b *store.Batch, a *flow.Audit) {
	b.Put(row.AuditKey(a.Number), row.EncodeAudit(*a))
}

// auditAt numbers a record and puts it.
func (e *Engine) auditAt(b *store.Batch, a *flow.Audit) {
	a.Number = e.audits.Add(1)
	putAudit(b, a)
}

// newAudit is the record of an act, numbered. A number whose act was refused in
// the end stays unused.
func (e *Engine) newAudit(act flow.Act) *flow.Audit {
	actor := act.Actor
	if actor == "" {
		actor = "unknown"
	}
	return &flow.Audit{Number: e.audits.Add(1), At: flow.InstantOf(e.now()), Actor: actor, Why: act.Why,
		Verb: act.Deed.Verb()}
}

// lastAudit is the number of the newest record.
func lastAudit(r store.Reader) (uint64, error) {
	rng := store.Prefix([]byte(row.FamilyAudit))
	rng.Reverse = true
	for kv, err := range r.Scan(rng) {
		if err != nil {
			return 0, err
		}
		n, _ := row.ParseAudit(kv.Key)
		return n, nil
	}
	return 0, nil
}
