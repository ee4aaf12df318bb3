package row

import "weft/flow"

type audit struct {
	At    flow.Instant    `cbor:"1,keyasint"`
	Actor string          `cbor:"2,keyasint"`
	Why   string          `cbor:"3,keyasint,omitempty"`
	Verb  string          `cbor:"4,keyasint"`
	ID    flow.WorkflowID `cbor:"5,keyasint,omitempty"`
	Run   flow.RunID      `cbor:"6,keyasint,omitempty"`
	Text  string          `cbor:"7,keyasint,omitempty"`
}

// EncodeAudit writes an audit record.
func EncodeAudit(a flow.Audit) []byte {
	return encode(audit{a.At, a.Actor, a.Why, a.Verb, a.Target.ID, a.Target.Run, a.Text})
}

// DecodeAudit reads the audit record with the given number.
func DecodeAudit(number uint64, b []byte) (flow.Audit, error) {
	var a audit
	if err := decode("audit record", b, &a); err != nil {
		return flow.Audit{}, err
	}
	return flow.Audit{Number: number, At: a.At, Actor: a.Actor, Why: a.Why, Verb: a.Verb,
		Target: flow.Ref{ID: a.ID, Run: a.Run}, Text: a.Text}, nil
}
