// Package wefttest tests workflows: in memory, in virtual time, with mocks for
// activities, and with crashes wherever a process can die.
//
//	func TestProvision(t *testing.T) {
//		wefttest.Test(t, wefttest.Options{Workflows: []engine.Definition{Provision}}, func(v *wefttest.Env) {
//			create := wefttest.Mock(v, CreateVM).Return(VM{Address: "10.0.0.7"}).FailFirst(2, errors.New("no capacity"))
//			run := wefttest.Start(v, Provision, "env-1", Request{Name: "ana"})
//			v.At(47*time.Hour, func() { wefttest.Send(v, Approved, "env-1", Approval{By: "bo"}) })
//			run.Want(VM{Address: "10.0.0.7"})
//			create.WantCount(3)
//		})
//	}
//
// # Time
//
// [Test] runs its function in a bubble of testing/synctest: time stands still
// while anything works and leaps when everything waits. A sleep of a month takes
// no time. Within it, use the [Env] in place of the outer *testing.T, whose
// context and clean-ups live outside of the bubble, and give up what would wait
// for the real world, a socket for instance: time stands still meanwhile. The
// bubble's clock begins at midnight UTC on 1 January 2000.
//
// # Crashes
//
// The store keeps what was committed and nothing else. [Env.Crash] ends the
// process, so to speak, and starts another on the same data; [Env.CrashBefore]
// and [Env.CrashAfter] do so around the record of one step. A process that died
// is followed by the next by itself; [Start], [Send], [Update], [Complete], [Run.Result] and the
// other functions here go on with it. [EveryCrash] runs a scenario once for every
// commit it makes, with a crash before and after that commit, and compares the
// outcomes: this is what a durable program must survive.
//
// What a crash cannot do here is stop an activity that ignores its context; such
// a function goes on beside the next process.
//
// # Replay
//
// [Replay] holds the code of today against journals that were exported from the
// runs of yesterday, and reports what the engine would: the step, what it has
// recorded and what the code asks for.
//
// # Failures
//
// When a test has failed, each of its runs is printed with its status, what it
// waits for and its steps, and each mock with its calls.
package wefttest
