package row

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"weft/flow"
	"weft/store"
)

// The encoding of CBOR is fixed here once: core deterministic, so that equal
// values have equal bytes, and strict when reading.
var (
	encMode = func() cbor.UserBufferEncMode {
		m, err := cbor.CoreDetEncOptions().UserBufferEncMode()
		if err != nil {
			panic(err)
		}
		return m
	}()
	decMode = func() cbor.DecMode {
		m, err := cbor.DecOptions{
			DupMapKey: cbor.DupMapKeyEnforcedAPF, MaxNestedLevels: 64,
			// Messages of errors are written as they come.
			UTF8: cbor.UTF8DecodeInvalid,
		}.DecMode()
		if err != nil {
			panic(err)
		}
		return m
	}()
)

// version is the version byte of every record here.
const version = 1

// scratch is what encoding works in.
var scratch = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// encode writes a record.
func encode(v any) []byte { return appendRecord(nil, v) }

// appendRecord appends a record. Every record type is plain data: it cannot
// fail.
func appendRecord(dst []byte, v any) []byte {
	b := scratch.Get().(*bytes.Buffer)
	defer scratch.Put(b)
	b.Reset()
	b.WriteByte(version)
	if err := encMode.MarshalToBuffer(v, b); err != nil {
		panic(fmt.Sprintf("row: encode %T: %v", v, err))
	}
	if dst == nil {
		dst = make([]byte, 0, b.Len())
	}
	return append(dst, b.Bytes()...)
}

// decode reads a record into v; what names it in the error.
func decode(what string, b []byte, v any) error {
	switch {
	case len(b) == 0:
		return fmt.Errorf("%s: empty record: %w", what, store.ErrCorrupt)
	case b[0] > version:
		return fmt.Errorf("%s: record version %d, this program knows %d: %w", what, b[0], version, store.ErrNewer)
	case b[0] != version:
		return fmt.Errorf("%s: record version %d: %w", what, b[0], store.ErrCorrupt)
	}
	if err := decMode.Unmarshal(b[1:], v); err != nil {
		return fmt.Errorf("%s: %v: %w", what, err, store.ErrCorrupt)
	}
	return nil
}

// Head is the state of the run that has the id now. Only life-cycle acts
// rewrite it, and every batch that touches the run is conditional on its
// bytes.
type Head struct {
	Run       flow.RunID   `cbor:"1,keyasint"`
	Type      string       `cbor:"2,keyasint"`
	Version   string       `cbor:"3,keyasint,omitempty"`
	Status    flow.Status  `cbor:"4,keyasint"`
	CreatedAt flow.Instant `cbor:"5,keyasint"`
	StartedAt flow.Instant `cbor:"6,keyasint,omitempty"`
	ClosedAt  flow.Instant `cbor:"7,keyasint,omitempty"`
	Deadline  flow.Instant `cbor:"8,keyasint,omitempty"`
	Reason    string       `cbor:"9,keyasint,omitempty"`
	Cause     flow.Reason  `cbor:"10,keyasint,omitempty"`
	Tags      []string     `cbor:"11,keyasint,omitempty"`
	ChangedAt flow.Instant `cbor:"12,keyasint,omitempty"`
	// StartAt is when a pending run begins, Limit how long it may take then, in
	// milliseconds.
	StartAt flow.Instant `cbor:"13,keyasint,omitempty"`
	Limit   int64        `cbor:"14,keyasint,omitempty"`
	// Services: the run needs live values that its launcher provides.
	Services bool `cbor:"15,keyasint,omitempty"`
	// Parent started it; nil for a run that somebody outside started.
	Parent *Parent `cbor:"16,keyasint,omitempty"`
	// First is the run that began the chain of which this one is a later
	// generation, "" for one that is the first; Generation counts from 0.
	First      flow.RunID `cbor:"17,keyasint,omitempty"`
	Generation int        `cbor:"18,keyasint,omitempty"`
	// TakesChildren: children of earlier generations are linked to this one.
	TakesChildren bool `cbor:"19,keyasint,omitempty"`
	// Attributes are what it is found by, by name; Labelled is up to where the
	// code's changes of tags and attributes are in this head.
	Attributes map[string]flow.Attribute `cbor:"20,keyasint,omitempty"`
	Labelled   LabelMark                 `cbor:"21,keyasint,omitzero"`
	// Headers are what its start handed on to everything it does.
	Headers map[string]string `cbor:"22,keyasint,omitempty"`
}

// EncodeHead writes a head.
func EncodeHead(h Head) []byte { return encode(h) }

// DecodeHead reads a head.
func DecodeHead(b []byte) (h Head, err error) {
	err = decode("run head", b, &h)
	return h, err
}

// Ready says that a run needs a goroutine.
type Ready struct {
	// Generation differs in every put, so that whoever removes the row removes
	// what it has seen.
	Generation uint64 `cbor:"1,keyasint"`
	// Last is the run's last event at the latest recovery, Recoveries how many
	// in a row found it unchanged after a crash.
	Last       flow.EventSeq `cbor:"2,keyasint,omitempty"`
	Recoveries int           `cbor:"3,keyasint,omitempty"`
}

// EncodeReady writes a ready row.
func EncodeReady(r Ready) []byte { return encode(r) }

// DecodeReady reads a ready row.
func DecodeReady(b []byte) (r Ready, err error) {
	err = decode("ready row", b, &r)
	return r, err
}

// Signal is a buffered signal.
type Signal struct {
	Name    string       `cbor:"1,keyasint"`
	ID      string       `cbor:"2,keyasint,omitempty"`
	Payload []byte       `cbor:"3,keyasint,omitempty"`
	At      flow.Instant `cbor:"4,keyasint"`
}

// EncodeSignal writes a signal.
func EncodeSignal(s Signal) []byte { return encode(s) }

// DecodeSignal reads a signal.
func DecodeSignal(b []byte) (s Signal, err error) {
	err = decode("signal", b, &s)
	return s, err
}

type ref struct {
	ID  flow.WorkflowID `cbor:"1,keyasint"`
	Run flow.RunID      `cbor:"2,keyasint"`
}

// EncodeRef writes a run's address.
func EncodeRef(r flow.Ref) []byte { return encode(ref{r.ID, r.Run}) }

// DecodeRef reads a run's address.
func DecodeRef(b []byte) (flow.Ref, error) {
	var r ref
	err := decode("run address", b, &r)
	return flow.Ref{ID: r.ID, Run: r.Run}, err
}
