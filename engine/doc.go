// Package engine runs workflows durably: every step of a run is on disk before
// the code that made it sees the outcome, and after any crash the run goes on
// where it was.
//
// This page begins as a tutorial for authors and goes on, from "The model", with
// how it works. docs/authoring.md is the guide; its code is compiled and tested.
//
// # A workflow
//
// Activities touch the world; a workflow says in which order. Both are plain
// functions, declared as values:
//
//	var Create = engine.Activity[Spec, VM]{Name: "create", Do: create, Timeout: time.Minute}
//
//	var Provision = engine.Workflow[Spec, VM]{Name: "provision", Version: "1", Do: provision}
//
//	func provision(ctx *engine.Context, in Spec) (VM, error) {
//		vm, err := Create.Run(ctx, in) // recorded before the next line runs
//		if err != nil {
//			return VM{}, err
//		}
//		return vm, ctx.Sleep(48 * time.Hour) // survives any restart
//	}
//
//	func create(ctx context.Context, in Spec) (VM, error) { … } // ordinary Go
//
// Open an engine on a store, or let weft.Open do both, start runs, and wait for
// what they return, now or in another process:
//
//	node, err := weft.Open(ctx, weft.Options{Dir: "data", Create: true, Workflows: []engine.Definition{Provision}})
//	run, err := Provision.Start(ctx, node.Engine, Spec{…}, engine.StartOptions{ID: "env-42"})
//	vm, err := run.Result(ctx) // or later: engine.Handle[VM](node.Engine, "env-42")
//
// A failed activity is tried again, by default twice; [Retry] says otherwise,
// [Permanent] stops it, and a [Code] is an error that code can tell from others.
//
// # Waiting for people
//
// A [Signal] tells a run something, an [Update] asks it to do something and
// gets a reply, a [Query] only looks:
//
//	var Approved = engine.Signal[Approval]{Name: "approved"}
//
//	a, ok, err := Approved.WaitFor(ctx, 48*time.Hour)        // in the code; false: nobody
//	err = Approved.Send(ctx, e, "env-42", Approval{By: "bo"}) // from outside
//
// Handlers of updates change the code's variables, and [Context.WaitUntil] waits
// until those are as they should be. An activity that hands its work to somebody
// outside promises the outcome with [CompleteLater]; [Activity.Complete] tells it.
//
// # Side by side
//
//	vms, err := engine.Map(ctx, 10, specs, Create.Run) // ten at a time, in order
//
// [All] waits for every function, [Race] for the first; [Go] opens a branch that
// is awaited later. A run of its own is a child: [Workflow.RunChild] awaits it,
// [Workflow.StartChild] returns a [Child].
//
// # Releasing and undoing
//
// A run that is cancelled or times out does not run on. What it holds outside is
// released by its finalizer, with the state that it recorded before it made the
// thing:
//
//	box := Box{Name: "box-" + ctx.NewID()}
//	err := engine.SetFinalizerState(ctx, RemoveBox, box) // the intent first
//	_, err = MakeBox.Run(ctx, box)                       // then the call
//
// Steps that belong together are a [Saga] of [Reversible] activities: what was
// done is undone, newest first, when one of them fails or the run is cancelled.
//
// # Going on, and changing
//
// Code whose loop has no end hands over to a new run of its id before its journal
// gets long, with [WorkflowRef.ContinueAsNew]. Code that changes under runs that
// are on their way branches on [Context.Version], or raises [Workflow.Version].
//
// # Everything code can do
//
//   - Call the world: [Activity.Run]; within one [Heartbeat], [Details], [InfoOf],
//     and [CompleteLater] for an outcome that comes from outside.
//   - Look at the world: [Memo].
//   - Wait: [Context.Sleep], [Signal.Wait], [Signal.WaitFor], [Context.WaitUntil],
//     [Context.WaitUntilFor].
//   - Be spoken to: [Update.Handle], [Update.HandleWith], [Query.Answer].
//   - Side by side: [Go], [All], [Race], [Map].
//   - Other runs: [Workflow.RunChild], [Workflow.StartChild], [WorkflowRef].
//   - Time and chance: [Context.Now], [Context.Random], [Context.NewID].
//   - Go on for ever: [WorkflowRef.ContinueAsNew], [Context.ContinueSuggested].
//   - End and leave nothing: [Signal.Drain], [Signal.TakeOrClose],
//     [Context.FinishHandlers].
//   - Change: [Context.Version].
//   - Undo: [Saga]. Release what is held outside: [SetFinalizerState],
//     [Context.OnCancel].
//   - Tell people: [Context.SetSummary], [Attribute.Set], [Context.AddTags],
//     [Context.Log].
//   - Live handles and what the start handed on: [Services], [Header].
//   - Fail: [Fail] with a [Code], [Permanent]; errors are [*flow.Failure].
//
// From outside: [Workflow.Start], [StartOrSignal], [Handle], [Run.Result],
// [Signal.Send], [Update.Call], [Query.Ask], [Activity.Complete],
// [Activity.Fail], [Activity.Beat]. What operators do, a cancel for one, goes
// through [Engine.Operator] as a value of package flow:
//
//	_, err := e.Operator().Do(ctx, flow.Act{Actor: "ana", Why: "no longer needed",
//		Deed: flow.CancelRun{Target: flow.Ref{ID: "env-42"}}})
//
// # The rule
//
// Between two steps code must do the same whenever it gets the same outcomes: no
// clock, no random numbers, no goroutines, no ranging over maps to start steps.
// The list above has a deterministic form of each. Code that breaks the rule is
// found when its run is replayed, and suspended with a reason such as
//
//	step 3: recorded activity charge, code asks for activity bill
//
// # Testing
//
// Package wefttest runs workflows in virtual time with mocks and crashes.
// [Replay] holds changed code against the journals of runs that are there.
//
// # The model
//
// A [Workflow] is a plain Go function. What it does through its [Context], an
// activity, a sleep, a wait for a signal, is a step. The outcome of a step is
// one journal entry, written in one synced batch together with everything that
// changes with it. When a process starts again, the function runs again from
// its first line and every recorded step returns its recorded outcome at once,
// without side effect: record and replay.
//
// It follows that code between steps must do the same whenever it gets the same
// outcomes. The context offers time, chance and identifiers in a form that
// does. The engine checks the rest: each step compares its kind, its name and a
// fingerprint of its input with what was recorded, and code that returns, or
// waits, while recorded events remain unread differs too. A run whose code no
// longer fits is suspended, with the step and both sides in the reason; nothing
// is executed, and resuming it under fitting code goes on. It never yields a
// wrong result.
//
// # Promises
//
//   - A call that returned nil survives a power cut. A call that failed changed
//     nothing, or is a [flow.OutcomeUnknownError] with the id to look at.
//   - Activities run at least once; every attempt of a step has the same
//     idempotency key.
//   - The function sees the decoded record in its first life too, errors
//     included: the first life is a replay that is one event ahead.
//   - Signals are taken in order of arrival, each once, in the batch that
//     records them. A signal id makes a repeated send change nothing.
//   - An update that was accepted is handled once, in the order of acceptance,
//     and its reply is durable; one that was refused left no trace. A query
//     changes nothing.
//   - One engine writes a store. Every write is conditional on the lease's
//     epoch and on the head of the run it touches; an engine that lost the
//     lease can change nothing, finds out at its next write, and halts.
//   - Looking changes nothing: neither [flow.ModeLook] nor a run whose type or
//     version is not registered here ([flow.Run].Held) is ever written to.
//
// # How a body moves
//
// One goroutine of a run executes code at any time. A branch hands the baton on
// only inside an operation; when every branch waits in one, the run is at its
// block point. There, and only there, the life advances: it delivers the next
// recorded event, or, once the journal is used up, dispatches what is new,
// records one outcome and delivers it, or leaves memory. Events have gap-free
// numbers in the order of their commits, and replay delivers them in that
// order, whatever branch they belong to. A run that comes to memory finds at once
// what several branches waited for: that is recorded in the order in which it
// happened, so who wins a race does not depend on whether the process was up.
//
//	perform ──▶ block point ──▶ recorded event? ──▶ deliver
//	   ▲             │ no
//	   │             ▼
//	   │         dispatch ──▶ attempt / timer / signal buffer
//	   │             │                     │ outcome
//	   │             ▼                     ▼
//	   └── deliver ◀── commit (synced) ◀── inbox
//
// A run may have several branches ([Go], [All], [Race], [Map]). They never run
// at the same time; the baton goes from one that waits to the next that can go
// on, in an order that the code and the order of events alone decide. What
// ends a run or stops it from outside, cancel, deadline, suspension, is an act
// in the same loop, done at the block point before anything new begins: so its
// batch carries all that the code has staged. Code that does not come to a
// block point within 5 s is told to leave first, and the record says that its
// staged state is unknown.
//
// No goroutine of its own drives a run: whoever posts an outcome lends the
// baton to a blocked branch, which commits and delivers in its own goroutine.
//
// # Updates, queries and conditions
//
// An [Update] is an act at the block point: the branch that will handle it runs
// the validator, records the acceptance as an event, and goes on with the
// handler. Its steps are u1.1, u1.2 … for the first update of the run, and the
// reply is the outcome of step u1. Replay opens the same branch at the same
// event. A parked run is launched for it; a caller whose handler is not set yet
// keeps the run in memory while he waits.
//
// A [Query] is answered by a life of its own that only replays what is recorded,
// commits nothing and is thrown away: whatever the answer does, the run does not
// see it.
//
// [Context.WaitUntil] looks at its condition whenever another branch has moved,
// before the next event is delivered. That is the same place in every life, so a
// condition that holds needs no event; only a time limit that passes is one.
//
// Code that ends leaves behind what it has not taken, and the last event says
// what: signals unread, updates without a reply. [Signal.Drain] and
// [Context.FinishHandlers] see to it that there is nothing.
//
// # Large payloads
//
// Options.MaxPayload bounds the JSON of a payload, and from 64 KiB the log tells
// of one. Both happen where it is about to be recorded for the first time: what
// comes from outside is refused before anything is written, what code gives fails
// its step, which is recorded, and a result or the input of the next run fails the
// run. What is recorded is never judged, so the option may change between two
// lives of a run.
//
// # What is in memory
//
// A run is absent, loading, live or leaving. A run that only waits is parked:
// one batch registers its waits (wait row, timer row) and takes it out of the
// ready set, and its goroutines unwind with [runtime.Goexit], so that no code
// can catch it. Deferred calls of the code run then, at every park, and must
// only release memory. A wait known to outlast Options.Grace parks in the batch
// that registers it; others after Grace, at once when more than Options.MaxIdle
// runs wait in memory, and when the engine closes. A wait that ends within Grace
// is not registered at all: a crash within that second begins it again.
// One that lasts longer while something else keeps the run in memory is
// registered then, without a timer row: the run is in the ready set anyway.
//
// Whoever makes a run runnable puts its ready row, with a fresh generation, in
// the batch that does so. Parking deletes the row on condition of the bytes it
// had before the last look at the buffers: if the condition fails, somebody sent
// something, and the life looks again. A timer needs no ready row: its own row
// stays until the outcome's batch deletes it, and that batch puts the ready row
// back. So at any instant a run that has something to do is in the ready set or
// has a timer row that is due, and what a crash leaves behind is found there.
//
// # What is in which batch
//
//	start      head, event 1 with the input, ready row (or timer of a delayed
//	           start), index, counter (+ key, deadline timer, first signal; + the
//	           purge of the run it replaces)
//	begin      head, index, counters, ready row (+ deadline timer − start timer)
//	step       event (− wait row, timer row, signal, child's end; + ready row
//	           after a timer)
//	child      the step's event, the child's whole start, the link to it
//	retry      wait row with attempt, first time, error, details (+ timer: parks)
//	heartbeat  wait row, at most once a second
//	promise    wait row with the token of an outcome from outside
//	hand-over  wait row: the function has ended, its outcome comes from outside
//	answer     that outcome, ready row; the step's batch removes it
//	keep       wait rows of waits with an end, in a run that cannot park
//	park       wait rows, timer rows (− ready row, if unchanged)
//	signal     signal row, ready row (+ row of its id)
//	update     event, row of the update, ready row
//	reply      the step's event, row of the update
//	drain      the step's event (− signal; or + the name closed, if none has come)
//	end        head, last event, index, counters, terminal row (− ready, waits,
//	           timers, signals and their ids); + claim and timer of the teardown
//	           that becomes owed, or − its state; + the end in the parent's rows
//	           and the parent's ready row; + cascade row, if it must reach children
//	continue   head, index, counters, event 1, ready row and deadline timer of the
//	           next run, the account of this one (− its events, ready row, waits,
//	           timers and old signal ids; its state and living children are put
//	           under the next run; signals stay where they are)
//	suspend    head, mark event, index, counters, waits (− ready row, deadline timer)
//	resume     head, mark event, index, counters, ready row (+ deadline timer)
//	purge      − everything of the run but dead letters
//
// A step of a saga ([Saga]) also puts its compensation's row; the step that undoes
// it, or the saga's success with the next of the commits named below, removes it.
// The end that finds such rows makes them owed: newest first, then the finalizer.
//
// State for the finalizer ([SetFinalizerState]), changes of tags and attributes
// (with the head and their index rows), and the removal of rows of branches that
// lost a race or whose condition held, ride on whichever of step, child, update,
// retry, heartbeat, keep, park, suspend and end comes next. Outcomes that are
// recorded while the run is suspended carry none of it: their code has left, and
// stages only when it runs again. An act of an operator adds its audit record.
//
// Each is conditional on the epoch and on the head's bytes. A process that dies
// between two of them finds, at the next start, one of these states whole:
//
//	after start, before the first step    ready row: the code runs from the start
//	attempt under way                     ready row: the attempt is made again
//	activity done, outcome not durable    the same: at least once
//	outcome durable, not yet delivered    replay delivers it
//	token promised, function under way    the attempt is made again, with that token
//	handed over to somebody outside       it waits on, the function is not called
//	answer durable, not yet taken         ready row: replay, then it is taken
//	parked, timer passes while down       the timer row is due at open
//	update accepted, not handled          ready row: replay opens its branch
//	reply durable, caller not told        the same update id asks again
//	signal durable, run not woken         ready row: the run is launched at open
//	end durable, waiters not told         they ask again and read the end
//	end durable, children not ended       the cascade row is there at open; the run
//	                                      is not purged before they are
//	end durable, teardown owed            its timer is due at open
//
// # Who wakes whom
//
// An attempt's goroutine posts its outcome and kicks the life. A sender commits,
// then hands the signal to the life or launches the run. The timer loop (package
// timers) fires rows into lives or launches runs, of which at most 128 at a time
// are on the way to the outcome of their wait: what becomes due alone while many
// are late competes with no more. The feeder launches runs from the ready set
// at open and whenever places become free. A life that ends tells the engine,
// which launches the run again if it was woken meanwhile. The end of a run
// closes its waiters' channel, is handed to its parent, tells the driver of
// teardowns what became owed, and the cascade which children are to end.
// Everything tells the ring; nothing waits for it. The cancel handlers of a run
// ([Context.OnCancel]) are called once its end is durable and its code has left.
//
// # Outcomes from outside
//
// An activity may leave its outcome to somebody outside ([CompleteLater]). What
// is told of it, a result, a failure, a heartbeat, is an act at the run's block
// point like a cancel, so it meets no commit of the run half way: the token is
// held against the wait row, the answer gets a row of its own, and the run takes
// it as it takes a signal. One token is believed once. An attempt that is over,
// by time, by its own function, by a retry or with its run, has no wait row with
// that token any more: who comes late is refused and changes nothing.
//
// # Crash loops
//
// The ready row counts the recoveries in a row that found the run's last event
// unchanged after a tenure that did not end by release; progress writes
// nothing. Those of many runs are counted in one batch, conditional on the head
// and the ready row of each; a run that has moved on meanwhile is left out and
// the others are counted again. From the third on the run starts after a delay and alone, above
// Options.MaxRecoveries it is suspended.
//
// # Records that cannot be read
//
// A run with a damaged record fails, with code [CodeRecord]: no deploy can heal it,
// and it must not stop the others. One that a newer program wrote to can be healed
// by that program: here it is held. It is reported and not written to, neither by
// a wake nor by its deadline; only an operator can end it.
//
// # Where this differs from weft for TypeScript
//
// That engine, whose life cycle this one has, calls itself checkpointing and
// matches steps by position alone; this one says that it replays, and checks. Its
// default retry policy is really applied. A signal to a finished run or to an unknown id is an error
// instead of a silent success. Signals are fenced like every other write.
// Attempt numbers and heartbeat details are durable. Activities that complete
// later are not called again by a restart. A saga keeps the policies of its
// activities, tells which compensations failed, and survives a cancel. Handlers
// of updates are recorded like the rest of the code, and a query of a run that
// has ended is answered.
//
// # What it does not do
//
// It makes no code deterministic and cannot stop a function that ignores its
// context; such a function is counted until it returns. It does not spread the
// work of one store over several processes.
package engine
