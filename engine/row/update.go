package row

import "weft/flow"

// FamilyUpdate holds the updates that a run has accepted, by the caller's id.
const FamilyUpdate = "upd:"

// UpdateKey is the key of one accepted update.
func UpdateKey(r flow.Ref, id string) []byte {
	return appendText(append(refKey(FamilyUpdate, r, len(id)+1), ':'), id)
}

// UpdatePrefix is the prefix of the updates that a run has accepted.
func UpdatePrefix(r flow.Ref) []byte { return append(refKey(FamilyUpdate, r, 1), ':') }

// ParseUpdate reads an accepted update's key.
func ParseUpdate(key []byte) (flow.Ref, string, bool) {
	p := split(key, FamilyUpdate, 3)
	if p == nil {
		return flow.Ref{}, "", false
	}
	ref, ok := parseRef(p[0], p[1])
	id, fine := text(p[2])
	return ref, id, ok && fine && id != ""
}

// Update is an accepted update. Input and reply are in the journal.
type Update struct {
	Name string `cbor:"1,keyasint"`
	// Digest is of the input: a repeated call must give the same.
	Digest flow.Digest `cbor:"2,keyasint"`
	// Accepted is the event that accepted it, Replied the one with the reply;
	// 0 while there is none.
	Accepted flow.EventSeq `cbor:"3,keyasint"`
	Replied  flow.EventSeq `cbor:"4,keyasint,omitempty"`
}

// EncodeUpdate writes an update.
func EncodeUpdate(u Update) []byte { return encode(u) }

// DecodeUpdate reads an update.
func DecodeUpdate(b []byte) (Update, error) {
	var u Update
	err := decode("update", b, &u)
	return u, err
}
