package teardown

import (
	"encoding/json"
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Audit puts the record of an act into the act's batch; text is one line for
// people. It may be called again with another batch when the first one did not
// apply.
type Audit func(b *store.Batch, text string)

// Outcome tells what an act did.
type Outcome struct {
	Text string
	// Unchanged: there was nothing to change, and no audit record.
	Unchanged bool
}

// refusal is a sentence that says all, and a sentinel to branch on.
type refusal struct {
	text string
	is   error
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.is }

func refusalOf(is error, format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), is}
}

// plan is an act that is ready to be committed.
type plan struct {
	batch  *store.Batch
	text   string
	notice flow.NoticeKind
	typ    string
	failed bool
	timer  *row.Teardown
}

// act prepares and commits an act. What changed meanwhile is looked at again.
func (d *Driver) act(ref flow.Ref, audit Audit, prepare func(store.Snapshot) (plan, error)) (Outcome, error) {
	for range maxTries {
		p, err := d.prepare(prepare)
		if err != nil {
			return Outcome{}, err
		}
		if p.batch == nil {
			return Outcome{Text: p.text, Unchanged: true}, nil
		}
		audit(p.batch, p.text)
		applied, err := d.commit(p.batch)
		if err != nil {
			return Outcome{}, err
		}
		if !applied {
			continue
		}
		if p.timer != nil {
			d.queue.Added(*p.timer)
		}
		d.tell(p.notice, &standing{ref: ref, claim: flow.Claim{Type: p.typ}}, p.failed, "%s", p.text)
		return Outcome{Text: p.text}, nil
	}
	return Outcome{}, fmt.Errorf("teardown of run %s: %w", ref, flow.ErrConflict)
}

func (d *Driver) prepare(prepare func(store.Snapshot) (plan, error)) (plan, error) {
	snap, err := d.c.Store.Snapshot()
	if err != nil {
		return plan{}, err
	}
	defer snap.Close()
	return prepare(snap)
}

// Retry makes the next attempt of an owed teardown due now; the attempts made so
// far stay counted. It is refused with a [*flow.ClaimError] while an attempt is
// under way, and takes over one whose maker is gone. A finalizer that is not
// registered here is refused, too: another program may own it.
func (d *Driver) Retry(ref flow.Ref, audit Audit) (Outcome, error) {
	return d.act(ref, audit, func(snap store.Snapshot) (plan, error) { return d.retry(snap, ref) })
}

func (d *Driver) retry(snap store.Snapshot, ref flow.Ref) (plan, error) {
	s, err := standingIn(snap, ref)
	if err != nil {
		return plan{}, err
	}
	switch {
	case s.raw == nil:
		return plan{}, nothingOwed(snap, ref)
	case s.damaged != nil:
		return plan{}, fmt.Errorf("the claim of run %s: %w", ref, s.damaged)
	}
	if _, known := d.c.Finalizer(s.claim.Type, s.finalizer()); !known {
		return plan{}, refusalOf(flow.ErrUnknown, "finalizer %q of type %q is not registered here; another build may own it",
			s.finalizer(), s.claim.Type)
	}
	now := d.now()
	if d.isMine(s.claim.Token) {
		// Under way in this very process, whatever the clock says.
		return plan{}, &flow.ClaimError{Claim: s.claim, Event: flow.RetryClaim, Now: s.claim.ClaimedAt}
	}
	next, verdict, err := s.claim.Next(flow.Turn{Event: flow.RetryClaim, Now: now, Token: newToken()})
	if err != nil {
		return plan{}, err
	}
	what := fmt.Sprintf("teardown %s of %s", s.finalizer(), ref.ID)
	if verdict == flow.ClaimDead {
		b := s.change()
		l := s.letter(next, now)
		s.bury(b, l)
		return plan{batch: b, typ: l.Type, notice: flow.NoticeDead, failed: true,
			text: fmt.Sprintf("%s: %s; it was the last and is a dead letter now", what, l.LastError)}, nil
	}
	if next == s.claim {
		return plan{text: fmt.Sprintf("%s: attempt %d is due already and begins as soon as there is a free slot", what, next.Attempt())}, nil
	}
	text := fmt.Sprintf("%s: attempt %d of %d due now", what, next.Attempt(), flow.MaxTeardownAttempts)
	if next.Attempts > s.claim.Attempts {
		text = fmt.Sprintf("%s: %s; attempt %d of %d due now", what, next.LastError, next.Attempt(), flow.MaxTeardownAttempts)
	}
	b := s.change()
	t := (&standing{ref: ref, claim: next}).timer()
	s.replace(b, next)
	return plan{batch: b, typ: next.Type, notice: flow.NoticeTeardown, timer: &t, text: text}, nil
}

func nothingOwed(r store.Reader, ref flow.Ref) error {
	raw, err := r.Get(row.DeadKey(ref))
	if err != nil {
		return err
	}
	if raw != nil {
		return refusalOf(flow.ErrConflict, "the teardown of run %s is a dead letter: redrive it", ref)
	}
	return &flow.NotFoundError{What: "owed teardown of run", Name: ref.String()}
}

// Given is what an operator adds to a dead letter that lacks it. A given Input
// also replaces a recorded one.
type Given struct {
	Type, Finalizer string
	Input           flow.Payload
}

// Redrive turns a dead letter into an owed teardown again, with all attempts. It
// is refused with a [*flow.RedriveError] when the finalizer could not be called,
// and with [flow.ErrConflict] when a teardown of the run is owed.
func (d *Driver) Redrive(ref flow.Ref, g Given, audit Audit) (Outcome, error) {
	if len(g.Input) > 0 && !json.Valid(g.Input) {
		return Outcome{}, &flow.InputError{What: "input of the finalizer", Problem: "is not JSON"}
	}
	return d.act(ref, audit, func(snap store.Snapshot) (plan, error) { return d.redrive(snap, ref, g) })
}

func (d *Driver) redrive(snap store.Snapshot, ref flow.Ref, g Given) (plan, error) {
	raw, l, err := readLetter(snap, ref)
	if err != nil {
		return plan{}, err
	}
	if err := conflict(snap, ref, l); err != nil {
		return plan{}, err
	}
	text := fmt.Sprintf("dead letter of %s redriven: %d attempts, last error: %s", ref.ID, l.Attempts, l.LastError)
	if len(g.Input) > 0 {
		text = fmt.Sprintf("dead letter of %s redriven with a given input; the letter was %s", ref.ID, content(ref, l))
		l.Input = g.Input
	}
	if l.Type == "" {
		l.Type = g.Type
	}
	if l.Finalizer == "" {
		l.Finalizer = g.Finalizer
	}
	c, err := l.Dead(ref).Redriven(newToken(), d.now())
	if err != nil {
		return plan{}, err
	}
	b := new(store.Batch)
	b.Expect(row.DeadKey(ref), raw, snap.Group())
	ExpectNone(b, ref, snap.Group())
	b.Delete(row.DeadKey(ref))
	b.Add(row.CountDead, -1)
	putBack(b, ref, l)
	t := putOwed(b, ref, c)
	return plan{batch: b, text: text, typ: l.Type, notice: flow.NoticeTeardown, timer: &t}, nil
}

// putBack records again what a letter is called with.
func putBack(b *store.Batch, ref flow.Ref, l row.Letter) {
	s := row.State{Type: l.Type, Finalizer: l.Finalizer, Payload: l.Input}
	if l.Seq > 0 {
		PutPiece(b, ref, l.Seq, s)
		return
	}
	PutState(b, ref, s)
}

// goOn makes the pieces behind a discarded letter owed.
func goOn(b *store.Batch, snap store.Snapshot, ref flow.Ref, l row.Letter, now flow.Instant) (*row.Teardown, int, error) {
	next, _, left, err := partsIn(snap, ref)
	if err != nil || left == 0 || l.Piece >= l.Pieces {
		return nil, 0, err
	}
	ExpectNone(b, ref, snap.Group())
	c := flow.OweClaim(l.Type, next.state.Finalizer, newToken(), now)
	c.Piece, c.Pieces = l.Piece+1, l.Pieces
	t := putOwed(b, ref, c)
	return &t, left, nil
}

// conflict says that a run owes a teardown beside its dead letter.
func conflict(r store.Reader, ref flow.Ref, l row.Letter) error {
	raw, err := r.Get(row.ClaimKey(ref))
	if err != nil || raw == nil {
		return err
	}
	claim := "a claim that cannot be read"
	if c, err := row.DecodeClaim(raw); err == nil {
		claim = fmt.Sprintf("a claim that is %s, attempt %d of %d", c.Status, c.Attempt(), flow.MaxTeardownAttempts)
	}
	return refusalOf(flow.ErrConflict, "run %s has a dead letter of %s (%d attempts, %s) and %s; nothing was done",
		ref, l.At, l.Attempts, l.LastError, claim)
}

// Discard removes a dead letter. Its whole content goes into the audit record:
// the clean-up will never run. Pieces behind it become owed.
func (d *Driver) Discard(ref flow.Ref, audit Audit) (Outcome, error) {
	return d.act(ref, audit, func(snap store.Snapshot) (plan, error) { return d.discard(snap, ref) })
}

func (d *Driver) discard(snap store.Snapshot, ref flow.Ref) (plan, error) {
	raw, err := snap.Get(row.DeadKey(ref))
	if err != nil {
		return plan{}, err
	}
	if raw == nil {
		return plan{}, noLetter(ref)
	}
	what, typ := "", ""
	l, err := row.DecodeLetter(raw)
	if err == nil {
		what, typ = content(ref, l), l.Type
	} else {
		what = fmt.Sprintf("unreadable (%v), bytes %x", err, raw)
	}
	b := new(store.Batch)
	b.Expect(row.DeadKey(ref), raw, snap.Group())
	b.Delete(row.DeadKey(ref))
	b.Add(row.CountDead, -1)
	timer, left, err := goOn(b, snap, ref, l, d.now())
	if err != nil {
		return plan{}, err
	}
	text := "dead letter discarded: "
	if left > 0 {
		text = fmt.Sprintf("dead letter discarded, the %d pieces behind it are owed now: ", left)
	}
	return plan{batch: b, text: text + what, typ: typ, notice: flow.NoticeDead, timer: timer}, nil
}

func readLetter(r store.Reader, ref flow.Ref) ([]byte, row.Letter, error) {
	raw, err := r.Get(row.DeadKey(ref))
	if err != nil {
		return nil, row.Letter{}, err
	}
	if raw == nil {
		return nil, row.Letter{}, noLetter(ref)
	}
	l, err := row.DecodeLetter(raw)
	if err != nil {
		return nil, row.Letter{}, fmt.Errorf("run %s: %w", ref, err)
	}
	return raw, l, nil
}

func noLetter(ref flow.Ref) error {
	return &flow.NotFoundError{What: "dead letter of run", Name: ref.String()}
}

// content is a letter as JSON, with nothing left out.
func content(ref flow.Ref, l row.Letter) string {
	whole := struct {
		flow.Dead
		OwedAt flow.Instant `json:"owedAt,omitzero"`
		// Bytes that could not be read, in base64.
		Claim []byte `json:"unreadableClaim,omitempty"`
		State []byte `json:"unreadableState,omitempty"`
	}{l.Dead(ref), l.OwedAt, l.Claim, l.State}
	out, err := json.Marshal(whole)
	if err != nil {
		return fmt.Sprintf("%+v", l)
	}
	return string(out)
}
