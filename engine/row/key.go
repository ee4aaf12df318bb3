package row

import (
	"bytes"
	"strconv"

	"weft/flow"
)

// Family prefixes, as in the package doc.
const (
	FamilyHead     = "wf:"
	FamilyEvent    = "ev:"
	FamilyWait     = "wait:"
	FamilyReady    = "ready:"
	FamilySignal   = "sig:"
	FamilyTimer    = "wf-deadline:"
	FamilyIndex    = "wf-idx-type:"
	FamilyTerminal = "wf-terminal:"
	FamilyCount    = "count:"
	FamilyIdem     = "start-idem:"
	FamilyAudit    = "audit:"
)

// Timers of a run's life cycle share the family of the waits' timers; in place
// of a step they have a word that no step has.
const (
	StepDeadline flow.StepPath = "deadline"
	StepStart    flow.StepPath = "start"
)

// Single keys.
var (
	LeaseEpoch    = []byte("lease:epoch")
	LeaseHolder   = []byte("lease:holder")
	LeaseHistory  = []byte("lease:history")
	SchemaVersion = []byte("weft:schema-version")
)

const upperHex = "0123456789ABCDEF"

func plain(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	switch c {
	case '-', '_', '.', '!', '~', '*', '\'', '(', ')':
		return true
	}
	return false
}

// appendText appends the encoded component.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; plain(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return b
}

// text decodes a component; false when it is not one that appendText made.
func text(b []byte) (string, bool) {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c != '%' {
			if !plain(c) {
				return "", false
			}
			out = append(out, c)
			continue
		}
		if i+2 >= len(b) {
			return "", false
		}
		hi, lo := bytes.IndexByte([]byte(upperHex), b[i+1]), bytes.IndexByte([]byte(upperHex), b[i+2])
		if hi < 0 || lo < 0 || plain(byte(hi<<4|lo)) {
			return "", false
		}
		out = append(out, byte(hi<<4|lo))
		i += 2
	}
	return string(out), true
}

func appendNumber(b []byte, n uint64, digits int) []byte {
	var buf [20]byte
	s := strconv.AppendUint(buf[:0], n, 10)
	for range digits - len(s) {
		b = append(b, '0')
	}
	return append(b, s...)
}

const (
	instantDigits = 16
	seqDigits     = 10
	arrivalDigits = 20
	// maxInstant is the last instant in order: a later one, or one before 1970,
	// is written as the nearest that has a place.
	maxInstant flow.Instant = 9_999_999_999_999_999
)

func appendInstant(b []byte, i flow.Instant) []byte {
	return appendNumber(b, uint64(min(max(i, 0), maxInstant)), instantDigits)
}

// start returns a key that begins with the family, with room for the rest.
func start(family string, room int) []byte {
	return append(make([]byte, 0, len(family)+room), family...)
}

func appendRef(b []byte, r flow.Ref) []byte {
	b = appendText(b, string(r.ID))
	b = append(b, ':')
	return append(b, r.Run...)
}

func refKey(family string, r flow.Ref, extra int) []byte {
	return appendRef(start(family, len(r.ID)+len(r.Run)+extra+8), r)
}

// HeadKey is the key of the head of the run that has the id now.
func HeadKey(id flow.WorkflowID) []byte {
	return appendText(start(FamilyHead, len(id)+8), string(id))
}

// HeadPrefix is the prefix of the heads of all ids that begin with p.
func HeadPrefix(p string) []byte { return appendText(start(FamilyHead, len(p)+8), p) }

// EventKey is the key of one journal entry.
func EventKey(r flow.Ref, seq flow.EventSeq) []byte {
	return AppendEventKey(make([]byte, 0, len(FamilyEvent)+len(r.ID)+len(r.Run)+seqDigits+9), r, seq)
}

// AppendEventKey appends what EventKey is.
func AppendEventKey(dst []byte, r flow.Ref, seq flow.EventSeq) []byte {
	dst = appendRef(append(dst, FamilyEvent...), r)
	return appendNumber(append(dst, ':'), uint64(seq), seqDigits)
}

// EventPrefix is the prefix of a run's journal.
func EventPrefix(r flow.Ref) []byte { return append(refKey(FamilyEvent, r, 1), ':') }

// WaitKey is the key of one registered wait.
func WaitKey(r flow.Ref, step flow.StepPath) []byte {
	return appendText(append(refKey(FamilyWait, r, len(step)+1), ':'), string(step))
}

// WaitPrefix is the prefix of a run's registered waits.
func WaitPrefix(r flow.Ref) []byte { return append(refKey(FamilyWait, r, 1), ':') }

// ReadyKey is the key of a run's row in the ready set.
func ReadyKey(r flow.Ref) []byte { return refKey(FamilyReady, r, 0) }

// SignalKey is the key of one buffered signal.
func SignalKey(r flow.Ref, arrival uint64) []byte {
	return appendNumber(append(refKey(FamilySignal, r, arrivalDigits+3), ":q:"...), arrival, arrivalDigits)
}

// SignalIDKey is the key that remembers a caller's signal id.
func SignalIDKey(r flow.Ref, name, id string) []byte {
	b := append(refKey(FamilySignal, r, len(name)+len(id)+4), ":i:"...)
	return appendText(append(appendText(b, name), ':'), id)
}

// SignalClosedKey is the key that says that a run takes no more signals of a
// name.
func SignalClosedKey(r flow.Ref, name string) []byte {
	return appendText(append(refKey(FamilySignal, r, len(name)+3), ":c:"...), name)
}

// SignalPrefix is the prefix of all a run's signal rows.
func SignalPrefix(r flow.Ref) []byte { return append(refKey(FamilySignal, r, 1), ':') }

// TimerKey is the key of a timer; timers sort by due time.
func TimerKey(due flow.Instant, r flow.Ref, step flow.StepPath) []byte {
	b := start(FamilyTimer, instantDigits+len(r.ID)+len(r.Run)+len(step)+12)
	b = append(appendInstant(b, due), ':')
	return appendText(append(appendRef(b, r), ':'), string(step))
}

// TimersFrom is the least timer key due at or after due.
func TimersFrom(due flow.Instant) []byte {
	return appendInstant(start(FamilyTimer, instantDigits), due)
}

// IndexKey is the key of a run's index row.
func IndexKey(typ, version string, s flow.Status, created flow.Instant, id flow.WorkflowID) []byte {
	b := append(appendInstant(IndexPrefix(typ, version, s), created), ':')
	return appendText(b, string(id))
}

// IndexPrefix is the prefix of the index rows of one type, version and status;
// they sort by creation, then id.
func IndexPrefix(typ, version string, s flow.Status) []byte {
	b := appendText(start(FamilyIndex, len(typ)+len(version)+64), typ)
	b = appendText(append(b, ':'), version)
	return append(b, ':', '0'+byte(s), ':')
}

// TerminalKey is the key of an ended run in the order of ending.
func TerminalKey(closed flow.Instant, id flow.WorkflowID) []byte {
	b := append(appendInstant(start(FamilyTerminal, len(id)+instantDigits+8), closed), ':')
	return appendText(b, string(id))
}

// TerminalsFrom is the least key of a run that ended at or after closed.
func TerminalsFrom(closed flow.Instant) []byte {
	return appendInstant(start(FamilyTerminal, instantDigits), closed)
}

// CountKey is the key of a counter.
func CountKey(typ, version string, s flow.Status) []byte {
	b := appendText(start(FamilyCount, len(typ)+len(version)+8), typ)
	b = appendText(append(b, ':'), version)
	return append(b, ':', '0'+byte(s))
}

// IdemKey is the key of a start's idempotency key.
func IdemKey(key string) []byte { return appendText(start(FamilyIdem, len(key)+8), key) }

// AuditKey is the key of an audit record.
func AuditKey(number uint64) []byte {
	return appendNumber(start(FamilyAudit, arrivalDigits), number, arrivalDigits)
}
