//go:build unix

package demo_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"weft/demo"
	"weft/flow"
)

// sweepAway ends the processes of the sandboxes that a test has left below work.
func sweepAway(work string) {
	files, _ := filepath.Glob(filepath.Join(work, "sandbox", "*", "pid"))
	for _, name := range files {
		data, _ := os.ReadFile(name)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && pid > 1 {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		}
	}
}

// pid is the process of a sandbox.
func (l *lab) pid(id string) int {
	l.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(string(l.file(id, "pid"))))
	if err != nil {
		l.Fatal(err)
	}
	return pid
}

// runs reports whether the process is there and no zombie.
func (l *lab) alive(pid int) bool {
	l.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if os.IsNotExist(err) && syscall.Kill(pid, 0) != nil {
		return false
	}
	return !strings.Contains(string(stat), ") Z ")
}

// openSandbox starts a sandbox and waits until it is open.
func (l *lab) openSandbox(id, input string) (pid int) {
	l.Helper()
	l.start("sandbox", id, input)
	time.Sleep(2 * time.Second)
	synctest.Wait()
	pid = l.pid(id)
	if !l.alive(pid) {
		l.Fatalf("process %d of %s does not run", pid, id)
	}
	return pid
}

// released complains unless a sandbox is gone, with its process.
func (l *lab) released(id string, pid int) {
	l.Helper()
	if l.alive(pid) {
		l.Errorf("process %d of %s runs on", pid, id)
	}
	run := string(l.detail(id, flow.PartSummary).Run.Run)
	entries, _ := os.ReadDir(filepath.Join(l.work, "sandbox"))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), run) {
			l.Errorf("%s is left of %s", e.Name(), id)
		}
	}
}

// owed is the teardown that a run owes; nil when none is.
func (l *lab) owed(id string) *flow.Teardown {
	l.Helper()
	page, err := l.eng.Operator().Page(l.Context(), flow.Query{Of: flow.ListTeardowns, Filter: flow.Filter{IDPrefix: id}})
	if err != nil {
		l.Fatal(err)
	}
	if len(page.Teardowns) == 0 {
		return nil
	}
	return &page.Teardowns[0]
}

func (l *lab) letters() []flow.Dead {
	l.Helper()
	page, err := l.eng.Operator().Page(l.Context(), flow.Query{Of: flow.ListDead})
	if err != nil {
		l.Fatal(err)
	}
	return page.Dead
}

func (l *lab) do(deed flow.Deed) {
	l.Helper()
	if _, err := l.eng.Operator().Do(l.Context(), flow.Act{Deed: deed}); err != nil {
		l.Fatal(err)
	}
}

func TestSandboxIsReleased(t *testing.T) {
	tests := map[string]struct {
		input string
		end   func(*lab)
		want  flow.Status
	}{
		"when it is closed": {`{"name":"a","minutes":60}`, func(l *lab) {
			if err := demo.Close.Send(l.Context(), l.eng, "a", demo.Closing{By: "ana"}); err != nil {
				l.Fatal(err)
			}
		}, flow.Completed},
		"when its time is over":   {`{"name":"a","minutes":1}`, func(*lab) { time.Sleep(time.Minute) }, flow.Completed},
		"when it is cancelled":    {`{"name":"a","minutes":60}`, func(l *lab) { l.do(flow.CancelRun{Target: flow.Ref{ID: "a"}}) }, flow.Cancelled},
		"when it was moved first": {`{"name":"a","minutes":60}`, (*lab).moveAndCancel, flow.Cancelled},
		"at the third attempt": {`{"name":"a","minutes":60,"failures":2}`, func(l *lab) {
			l.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
			time.Sleep(6*time.Minute + time.Second)
		}, flow.Cancelled},
		"over a crash, slowly": {`{"name":"a","minutes":60,"teardownSeconds":4}`, func(l *lab) {
			l.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
			time.Sleep(2 * time.Second)
			l.crash()
			if o := l.owed("a"); o == nil || o.State != "running" || o.Attempts != 0 {
				l.Errorf("after the crash: %+v", o)
			}
			time.Sleep(35 * time.Second)
			if o := l.owed("a"); o == nil || o.State != "running" || o.Attempts != 1 {
				l.Errorf("at the take-over: %+v", o)
			}
			time.Sleep(5 * time.Second)
		}, flow.Cancelled},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				pid := l.openSandbox("a", tc.input)
				tc.end(l)
				time.Sleep(time.Second)
				synctest.Wait()
				l.released("a", pid)
				if got := l.detail("a", flow.PartSummary).Run.Status; got != tc.want || l.owed("a") != nil || len(l.letters()) > 0 {
					l.Errorf("the run is %s, want %s; owed %+v, dead %+v", got, tc.want, l.owed("a"), l.letters())
				}
			})
		})
	}
}

// moveAndCancel puts the store and the files elsewhere while no engine runs.
func (l *lab) moveAndCancel() {
	l.Helper()
	l.close()
	elsewhere := filepath.Join(l.work, "elsewhere")
	if err := os.Mkdir(elsewhere, 0o777); err != nil {
		l.Fatal(err)
	}
	if err := os.Rename(filepath.Join(l.work, "sandbox"), filepath.Join(elsewhere, "sandbox")); err != nil {
		l.Fatal(err)
	}
	l.work = elsewhere
	l.open()
	l.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
}

// TestSandboxIsReleasedHalfMade cancels while the sandbox is being made: all that
// is recorded is the intent.
func TestSandboxIsReleasedHalfMade(t *testing.T) {
	for name, process := range map[string]bool{"before its process": false, "with its process": true} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				pid := l.openSandbox("a", `{"name":"a","minutes":60}`)
				run := string(l.detail("a", flow.PartSummary).Run.Run)
				l.do(flow.SuspendRun{Target: flow.Ref{ID: "a"}})
				// The state of a run that was cancelled between the two records.
				if !process {
					sweepAway(l.work)
				}
				err := demo.ReleaseBox(l.work, run)
				if err != nil {
					l.Error(err)
				}
				l.released("a", pid)
			})
		})
	}
}

// TestStrangersAreLeftAlone: a number that belongs to somebody else by now.
func TestStrangersAreLeftAlone(t *testing.T) {
	inLab(t, func(l *lab) {
		pid := l.openSandbox("a", `{"name":"a","minutes":60}`)
		l.openSandbox("b", `{"name":"b","minutes":60}`)
		run := string(l.detail("b", flow.PartSummary).Run.Run)
		name := filepath.Join(l.work, "sandbox", run, "pid")
		theirs := l.pid("b")
		if err := os.WriteFile(name, []byte(strconv.Itoa(pid)+"\n"), 0o666); err != nil {
			l.Fatal(err)
		}
		l.do(flow.CancelRun{Target: flow.Ref{ID: "b"}})
		time.Sleep(time.Second)
		l.released("b", theirs)
		if !l.alive(pid) {
			l.Errorf("the process of a was killed for that of b")
		}
		if !demo.Survives(pid) {
			l.Errorf("process %d was killed under another start time", pid)
		}
	})
}

func TestSandboxThatNeverLetsGoIsADeadLetter(t *testing.T) {
	tests := map[string]struct {
		input, says string
		heals       bool
	}{
		"it fails each time":            {`{"name":"a","minutes":60,"failures":-1}`, "call 8: the sandbox does not let go", false},
		"it fails until it is redriven": {`{"name":"a","minutes":60,"failures":8}`, "call 8: the sandbox does not let go", true},
		"it takes too long":             {`{"name":"a","minutes":60,"teardownSeconds":6}`, "took longer than 5s", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				pid := l.openSandbox("a", tc.input)
				l.do(flow.CancelRun{Target: flow.Ref{ID: "a"}})
				time.Sleep(12 * time.Hour)
				dead := l.letters()
				if len(dead) != 1 || dead[0].Attempts != 8 || dead[0].LastError != tc.says || !l.alive(pid) {
					l.Fatalf("%+v", dead)
				}
				l.do(flow.Redrive{Target: flow.Ref{ID: "a"}})
				time.Sleep(10 * time.Second)
				if o := l.owed("a"); tc.heals != (o == nil) || !tc.heals && o.Attempts != 1 {
					l.Errorf("after the redrive: %+v", o)
				}
				if tc.heals {
					l.released("a", pid)
				}
			})
		})
	}
}

// TestSeedShowsTeardowns: one is owed and one was given up after eight real
// attempts, and what a person does about them is not undone by the next start.
func TestSeedShowsTeardowns(t *testing.T) {
	inLab(t, func(l *lab) {
		l.seed()
		synctest.Wait()
		if o := l.owed("sandbox-stubborn"); o == nil || o.Attempts != 1 || o.State != "owed" {
			l.Errorf("owed: %+v", o)
		}
		dead := l.letters()
		if len(dead) != 1 || dead[0].ID != "sandbox-lost" || dead[0].Attempts != 8 || len(dead[0].Input) == 0 {
			l.Fatalf("dead: %+v", dead)
		}
		pid := l.pid("sandbox-lost")
		l.close()
		l.open()
		l.seed()
		if dead = l.letters(); len(dead) != 1 {
			l.Errorf("dead after the second start: %+v", dead)
		}
		l.do(flow.Redrive{Target: flow.Ref{ID: "sandbox-lost"}})
		time.Sleep(time.Second)
		l.released("sandbox-lost", pid)
		time.Sleep(22 * time.Minute)
		if o := l.owed("sandbox-stubborn"); o != nil {
			l.Errorf("owed after its back-offs: %+v", o)
		}
	})
}

// TestSeedGoesOnWhereItStopped crashes between its acts.
func TestSeedGoesOnWhereItStopped(t *testing.T) {
	for _, commits := range []int{5, 40, 60, 70, 80, 90} {
		inLab(t, func(l *lab) {
			l.store.FailCommit(commits, 1)
			_ = demo.Seed(l.Context(), l.eng)
			l.crash()
			l.seed()
			if dead := l.letters(); len(dead) != 1 || dead[0].ID != "sandbox-lost" {
				l.Errorf("crash at commit %d: dead %+v", commits, dead)
			}
			if o := l.owed("sandbox-stubborn"); o == nil {
				l.Errorf("crash at commit %d: nothing is owed", commits)
			}
		})
	}
}
