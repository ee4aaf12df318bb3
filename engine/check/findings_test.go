package check_test

import (
	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

const (
	runA  = "00000000000000000000000001"
	runA1 = "00000000000000000000000009"
)

func puts(key []byte, value string) func(*store.Batch) {
	return func(b *store.Batch) { b.Put(key, []byte(value)) }
}

func deletes(key []byte) func(*store.Batch) {
	return func(b *store.Batch) { b.Delete(key) }
}

// changes puts the head of a, running, after a change.
func changes(change func(*row.Head)) func(*store.Batch) {
	h := headOf(a, flow.Running)
	change(&h)
	return puts(row.HeadKey(a), string(row.EncodeHead(h)))
}

func event(seq flow.EventSeq, e flow.Event) func(*store.Batch) {
	return puts(row.EventKey(refOf(a), seq), string(row.EncodeEvent(e)))
}

var heads = map[string]damage{
	"a head that is gone leaves every row of its run alone": {deletes(row.HeadKey("z")), []string{
		"ev:z:" + runA + ":0000000001: the journal belongs to no run: there is no run of this id",
		"wf-idx-type:order:1:7:0000000000000010:z: there is no run of this id",
		"wf-terminal:0000000000000020:z: there is no run of this id",
		"count:order:1:7: the counter says 1, there are 0 heads",
	}},
	"a head that does not decode is named once, and not counted": {puts(row.HeadKey(a), "\x01"), []string{
		"wf:a: the head does not decode: run head: EOF",
		"count:order:1:2: the counter says 1, there are 0 heads",
	}},
	"a newer head is named": {puts(row.HeadKey(a), "\x02"), []string{
		"wf:a: the head does not decode: run head: record version 2",
		"count:order:1:2: the counter says 1, there are 0 heads",
	}},
	"a key that is none is named": {puts([]byte("wf:%zz"), ""), []string{"wf:%zz: this is no key of a head"}},
	"a head of another run disowns the rows": {changes(func(h *row.Head) { h.Run = runA1 }), []string{
		"ev:a:" + runA + ":0000000001: the journal belongs to no run: the run of this id is now " + runA1,
		"ready:a:" + runA + ": the row belongs to no run: the run of this id is now " + runA1,
		"sig:a:" + runA + ":i:go:x: the row belongs to no run",
		"sig:a:" + runA + ":q:00000000000000000001: the row belongs to no run",
		"wait:a:" + runA + ":2: the row belongs to no run",
		"wf:a: the index row wf-idx-type:order:1:2:0000000000000010:a names run " + runA + ", the head run " + runA1,
		"wf:a: the journal has no event 1",
	}},
	"another type has another index row and counter": {changes(func(h *row.Head) { h.Type = "mail" }), []string{
		"wf-idx-type:order:1:2:0000000000000010:a: the head says otherwise: type mail, version 1, running",
		"wf:a: the index row wf-idx-type:mail:1:2:0000000000000010:a is missing",
		"count:mail:1:2: the counter says 0, there are 1 heads",
		"count:order:1:2: the counter says 1, there are 0 heads",
	}},
	"impossible fields are named": {changes(func(h *row.Head) { h.Run, h.Type, h.Status, h.CreatedAt = runA, "", 9, 0 }), []string{
		"ready:a:" + runA + ": a run that is status 9 has no such row",
		"sig:a:" + runA + ":i:go:x: a run that is status 9 has no such row",
		"sig:a:" + runA + ":q:00000000000000000001: a run that is status 9 has no such row",
		"wait:a:" + runA + ":2: a run that is status 9 has no such row",
		"wf-idx-type:order:1:2:0000000000000010:a: the head says otherwise",
		"wf:a: the type is empty",
		"wf:a: status 9 is none",
		"wf:a: the time of creation is missing",
		"count:order:1:2: the counter says 1, there are 0 heads",
	}},
	"a run id of the wrong form is named": {func(b *store.Batch) {
		h := headOf("q", flow.Running)
		h.Run = "short"
		b.Put(row.HeadKey("q"), row.EncodeHead(h))
		b.Put(row.IndexKey("order", "1", flow.Running, 10, "q"), []byte("short"))
		b.Add(row.CountKey("order", "1", flow.Running), 1)
	}, []string{
		`wf:q: run id "short" is not 26 characters long`,
		"wf:q: the journal has no event 1",
	}},
	"a live run with a time of ending is named": {changes(func(h *row.Head) { h.ClosedAt = 5 }), []string{
		"wf:a: the run is running, but its time of ending is 1970-01-01T00:00:00.005Z",
	}},
}

var indexes = map[string]damage{
	"a missing index row is named": {deletes(row.IndexKey("order", "1", flow.Running, 10, a)), []string{
		"wf:a: the index row wf-idx-type:order:1:2:0000000000000010:a is missing",
	}},
	"a pending run without its timer is named": {deletes(row.TimerKey(soon, refOf("order"), row.StepStart)), []string{
		"wf:order: the timer wf-deadline:0000000000001000:order:00000000000000000000000005:start is missing"}},
	"a deadline that the head does not know is named": {puts(row.TimerKey(7, refOf(a), row.StepDeadline), ""), []string{
		"wf-deadline:0000000000000007:a:00000000000000000000000001:deadline: the head is due -"}},
	"a tag without its row is named": {changes(func(h *row.Head) { h.Tags = []string{"eu"} }), []string{
		"wf:a: the index row wf-idx-tag:eu:0000000000000010:a is missing",
	}},
	"an attribute that the head has not is named": {puts(row.AttributeKey("n", flow.Attribute{Kind: flow.NumberAttribute, Text: "5"}, 10, a), runA), []string{
		"wf-idx-attr:n:n210015:0000000000000010:a: the head has no such tag or attribute",
	}},
	"a tag of nobody is named": {puts(row.TagKey("eu", 10, "y"), runA), []string{
		"wf-idx-tag:eu:0000000000000010:y: there is no run of this id",
	}},
	"a key of a tag that is none is named": {puts([]byte("wf-idx-tag:eu"), ""), []string{
		"wf-idx-tag:eu: this is no key of a tag or an attribute",
	}},
	"a second index row is named": {puts(row.IndexKey("order", "1", flow.Pending, 10, a), runA), []string{
		"wf-idx-type:order:1:1:0000000000000010:a: the head says otherwise: type order, version 1, running",
	}},
	"an index row of another run is named": {puts(row.IndexKey("order", "1", flow.Running, 10, a), "\xff"), []string{
		`wf:a: the index row wf-idx-type:order:1:2:0000000000000010:a names run "\xff", the head run ` + runA,
	}},
	"an index key that is none is named": {puts([]byte("wf-idx-type:order"), ""), []string{
		"wf-idx-type:order: this is no key of an index row",
	}},
	"an ended run without its place is named": {deletes(row.TerminalKey(20, "ab")), []string{
		"wf:ab: the row in the order of ending wf-terminal:0000000000000020:ab is missing",
	}},
	"a live run with a place among the ended is named": {puts(row.TerminalKey(20, a), runA), []string{
		"wf-terminal:0000000000000020:a: the head says otherwise: type order, version 1, running",
	}},
	"an ended run with two places is named": {puts(row.TerminalKey(21, "ab"), ""), []string{
		"wf-terminal:0000000000000021:ab: the head says otherwise",
	}},
	"a key of the ended that is none is named": {puts([]byte("wf-terminal:20:ab"), ""), []string{
		"wf-terminal:20:ab: this is no key of an ended run",
	}},
	"a counter too high is named": {func(b *store.Batch) { b.Add(row.CountKey("order", "1", flow.Running), 2) }, []string{
		"count:order:1:2: the counter says 3, there are 1 heads",
	}},
	"a counter of nothing is named": {func(b *store.Batch) { b.Add(row.CountKey("b:c", "", flow.Running), 1) }, []string{
		"count:b%3Ac::2: the counter says 1, there are 0 heads",
	}},
	"a counter that is no number is named": {puts(row.CountKey("order", "1", flow.Running), "one"), []string{
		"count:order:1:2: the counter is not a positive number: 0, counter of 3 bytes",
		"count:order:1:2: the counter says 0, there are 1 heads",
	}},
	"a counter below zero is named": {func(b *store.Batch) { b.Add(row.CountKey("mail", "", flow.Running), -1) }, []string{
		"count:mail::2: the counter is not a positive number: -1",
		"count:mail::2: the counter says -1, there are 0 heads",
	}},
	"a counter key that is none is named": {puts([]byte("count:order:1:9"), ""), []string{
		"count:order:1:9: this is no key of a counter",
	}},
}

var journals = map[string]damage{
	"a gap is named": {event(4, flow.Event{Kind: flow.EventStep}), []string{
		"ev:a:" + runA + ":0000000004: the event before it is missing: 3 was expected",
	}},
	"a missing beginning is named": {deletes(row.EventKey(refOf(a), 1)), []string{
		"ev:a:" + runA + ":0000000002: the event before it is missing: 1 was expected",
		"wf:a: the journal has no event 1",
	}},
	"a first event that is not the start is named": {event(1, flow.Event{Kind: flow.EventStep}), []string{
		"ev:a:" + runA + ":0000000001: event 1 is of kind step: the first event, and only it, is started",
	}},
	"a second start is named": {event(3, flow.Event{Kind: flow.EventStarted}), []string{
		"ev:a:" + runA + ":0000000003: event 3 is of kind started",
	}},
	"an unknown kind is named": {event(3, flow.Event{Kind: 77}), []string{
		"ev:a:" + runA + ":0000000003: event kind 77 is unknown",
	}},
	"a live run that ended is named": {event(3, flow.Event{Kind: flow.EventEnded, Status: flow.Failed}), []string{
		"ev:a:" + runA + ":0000000003: the journal ends failed, the head is running",
	}},
	"another end is named": {puts(row.EventKey(refOf("z"), 3), string(row.EncodeEvent(flow.Event{Kind: flow.EventEnded, Status: flow.Failed}))), []string{
		"ev:z:" + runA + ":0000000003: the journal ends failed, the head is timed-out",
	}},
	"an ended run without its end is named": {deletes(row.EventKey(refOf("z"), 3)), []string{
		"ev:z:" + runA + ":0000000002: the head is timed-out, but the last event is of kind step",
	}},
	"an event behind the end is named": {puts(row.EventKey(refOf("z"), 4), string(row.EncodeEvent(flow.Event{Kind: flow.EventStep}))), []string{
		"ev:z:" + runA + ":0000000004: the run had ended with the event before",
		"ev:z:" + runA + ":0000000004: the head is timed-out, but the last event is of kind step",
	}},
	"an event that does not decode is named once": {puts(row.EventKey(refOf(a), 1), ""), []string{
		"ev:a:" + runA + ":0000000001: the journal entry does not decode: journal entry: empty record",
	}},
	"an end that does not decode is named once": {puts(row.EventKey(refOf("z"), 3), ""), []string{
		"ev:z:" + runA + ":0000000003: the journal entry does not decode",
	}},
	"an event key that is none is named": {puts([]byte("ev:a:"+runA+":3"), ""), []string{
		"ev:a:" + runA + ":3: this is no key of a journal entry",
	}},
	"the journal of an earlier run is named once": {func(b *store.Batch) {
		for seq := range flow.EventSeq(2) {
			b.Put(row.EventKey(flow.Ref{ID: a, Run: runA1}, seq+1), row.EncodeEvent(flow.Event{Kind: flow.EventStarted + flow.EventKind(seq)}))
		}
	}, []string{
		"ev:a:" + runA1 + ":0000000001: the journal belongs to no run: the run of this id is now " + runA,
	}},
}

var lives = map[string]damage{
	"an ended run in the ready set is named": {puts(row.ReadyKey(refOf("z")), string(row.EncodeReady(row.Ready{}))), []string{
		"ready:z:" + runA + ": a run that is timed-out has no such row",
	}},
	"a suspended run in the ready set is named": {puts(row.ReadyKey(refOf("a:b")), string(row.EncodeReady(row.Ready{}))), []string{
		"ready:a%3Ab:00000000000000000000000003: a run that is suspended has no such row",
	}},
	"a ready row that does not decode is named": {puts(row.ReadyKey(refOf(a)), ""), []string{
		"ready:a:" + runA + ": the ready row does not decode",
	}},
	"a ready key that is none is named": {puts([]byte("ready:a"), ""), []string{"ready:a: this is no key of the ready set"}},
	"a ready row of nobody is named": {puts(row.ReadyKey(flow.Ref{ID: "nobody", Run: runA}), string(row.EncodeReady(row.Ready{}))), []string{
		"ready:nobody:" + runA + ": the row belongs to no run: there is no run of this id",
	}},
	"a wait of an ended run is named": {puts(row.WaitKey(refOf("z"), "1"), string(row.EncodeWait(row.Wait{}))), []string{
		"wait:z:" + runA + ":1: a run that is timed-out has no such row",
	}},
	"a wait that does not decode is named": {puts(row.WaitKey(refOf(a), "2"), "\x01\x00"), []string{
		"wait:a:" + runA + ":2: the wait does not decode",
	}},
	"a wait key that is none is named": {puts([]byte("wait:a"), ""), []string{"wait:a: this is no key of a wait"}},
	"a missing timer is named": {deletes(row.TimerKey(soon, refOf(a), "2")), []string{
		"wait:a:" + runA + ":2: the timer wf-deadline:0000000000001000:a:" + runA + ":2 is missing: nothing will wake the run",
	}},
	"a timer without its wait is named": {puts(row.TimerKey(soon, refOf(a), "3"), ""), []string{
		"wf-deadline:0000000000001000:a:" + runA + ":3: the wait wait:a:" + runA + ":3 is missing",
	}},
	"a second timer is named": {puts(row.TimerKey(soon+1, refOf(a), "2"), ""), []string{
		"wf-deadline:0000000000001001:a:" + runA + ":2: the wait is due 1970-01-01T00:00:01.000Z, with a timer: true",
	}},
	"a timer that the wait does not know is named": {puts(row.TimerKey(soon, refOf("a:b"), "2.1"), ""), []string{
		"wf-deadline:0000000000001000:a%3Ab:00000000000000000000000003:2.1: the wait is due 1970-01-01T00:00:01.000Z, with a timer: false",
	}},
	"a timer with a value is named": {puts(row.TimerKey(soon, refOf(a), "2"), "x"), []string{
		"wf-deadline:0000000000001000:a:" + runA + ":2: a timer has no value, this one has 1 bytes",
	}},
	"a timer key that is none is named": {puts([]byte("wf-deadline:1:a"), ""), []string{"wf-deadline:1:a: this is no key of a timer"}},
	"a signal for an ended run is named": {puts(row.SignalKey(refOf("z"), 1), string(row.EncodeSignal(row.Signal{}))), []string{
		"sig:z:" + runA + ":q:00000000000000000001: a run that is timed-out has no such row",
	}},
	"a signal that does not decode is named": {puts(row.SignalKey(refOf(a), 1), ""), []string{
		"sig:a:" + runA + ":q:00000000000000000001: the signal does not decode",
	}},
	"a signal id with a value that is no generation is named": {puts(row.SignalIDKey(refOf(a), "go", "x"), "01"), []string{
		"sig:a:" + runA + ":i:go:x: the value of a remembered signal id is a generation, not \"01\"",
	}},
	"a generation that is not before the run is named": {puts(row.PastKey("a", 0), string(row.EncodePast(row.Past{Run: runA}))), []string{
		"wf-past:a:0000000000: run " + runA + ", generation 0, is none before run " + runA + ", generation 0",
	}},
	"a signal key that is none is named": {puts([]byte("sig:a:"+runA+":x:1"), ""), []string{
		"sig:a:" + runA + ":x:1: this is no key of a signal",
	}},
}

var singles = map[string]damage{
	"a start that does not decode is named": {puts(row.IdemKey("k"), ""), []string{
		"start-idem:k: the start it leads to does not decode: run address: empty record",
	}},
	"a start that leads nowhere is named": {puts(row.IdemKey("k"), string(row.EncodeRef(flow.Ref{ID: "a", Run: "b"}))), []string{
		"start-idem:k: the start it leads to does not decode: run id",
	}},
	"a start of an id that is none is named": {puts(row.IdemKey("k"), string(row.EncodeRef(flow.Ref{Run: runA}))), []string{
		"start-idem:k: the start it leads to does not decode: workflow id",
	}},
	"an audit record that does not decode is named": {puts(row.AuditKey(1), "\x01"), []string{
		"audit:00000000000000000001: the audit record does not decode",
	}},
	"an audit key that is none is named": {puts([]byte("audit:1"), ""), []string{"audit:1: this is no key of an audit record"}},
	"a short epoch is named":             {puts(row.LeaseEpoch, "1234"), []string{"lease:epoch: the epoch has 4 bytes, want 8"}},
	"a holder that is no object is named": {puts(row.LeaseHolder, "[]"), []string{
		"lease:holder: the holder of the lease does not decode",
	}},
	"a history that is no JSON is named":                   {puts(row.LeaseHistory, "["), []string{"lease:history: the history of the lease is no JSON"}},
	"a schema that is no number is named":                  {puts(row.SchemaVersion, "-1"), []string{"weft:schema-version: the version of the schema is no number: -1"}},
	"an unknown key of the lease is named":                 {puts([]byte("lease:x"), ""), []string{"lease:x: the key is unknown"}},
	"a counter of teardowns with a longer name is unknown": {puts([]byte("count-owed:x"), ""), []string{"count-owed:x: the key is unknown"}},
	"what package teardown finds is listed": {deletes(row.ClaimKey(refOf("order10"))), []string{
		"wf-teardown:0000000000001000:order10:00000000000000000000000007:t: ",
		"wf-finalizer-state:order10:00000000000000000000000007: ",
		"count-owed: ",
	}},
	"an unknown family is named once": {func(b *store.Batch) {
		b.Put([]byte("app:1"), nil)
		b.Put([]byte("app:2"), nil)
		b.Put([]byte("\xffx"), nil)
	}, []string{"app:1: family app: is unknown", `"\xffx": family "\xffx" is unknown`}},
}
