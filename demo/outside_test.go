package demo_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"weft/demo"
	"weft/engine"
	"weft/flow"
)

// sign tells the outcome of the contract id, with the token that a console shows.
func (l *lab) sign(id, by string) error {
	l.Helper()
	step := l.detail(id, flow.PartSteps).Steps[0]
	out, err := json.Marshal(demo.Signature{By: by})
	if err != nil {
		l.Fatal(err)
	}
	_, err = l.eng.Operator().Do(l.Context(), flow.Act{Deed: flow.CompleteActivity{Token: step.Token, Output: out}})
	return err
}

func TestContractWaitsForSomebodyOutside(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("contract", "c", `{"title": "lease", "days": 14}`)
		time.Sleep(time.Hour)
		l.crash()
		if step := l.detail("c", flow.PartSteps).Steps[0]; step.State != flow.StepOutside || step.Token == "" {
			l.Errorf("the step that waits: %+v", step)
		}
		letter := l.file("c", "letter.txt")
		time.Sleep(13 * 24 * time.Hour)
		if err := l.sign("c", "ana"); err != nil {
			l.Fatal(err)
		}
		var got demo.Signed
		if err := l.result("c", &got); err != nil || got != (demo.Signed{Signed: true, By: "ana", Name: "signed.txt"}) {
			l.Errorf("%+v, %v", got, err)
		}
		if text := string(l.file("c", got.Name)); text != "signed by ana\n" {
			l.Errorf("filed %q", text)
		}
		if again := l.file("c", "letter.txt"); !slices.Equal(letter, again) {
			l.Errorf("two letters: %s, %s", letter, again)
		}
	})
}

func TestContractThatNobodySigns(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("contract", "c", `{"title": "lease", "days": 1}`)
		var got demo.Signed
		if err := l.result("c", &got); err != nil || got != (demo.Signed{Name: "letter.txt"}) {
			l.Errorf("%+v, %v", got, err)
		}
	})
}

func TestTripGivesBackWhatWasBooked(t *testing.T) {
	inLab(t, func(l *lab) {
		l.start("trip", "x", `{"to": "Rome", "full": "car", "pauseSeconds": 5}`)
		time.Sleep(2 * time.Second)
		l.crash()
		if text := string(l.file("x", "flight.txt")); text != "flight to Rome\n" {
			l.Errorf("booked %q", text)
		}
		if err := l.result("x", &demo.Booked{}); !errors.Is(err, demo.FullyBooked) {
			l.Errorf("%v", err)
		}
		var names []string
		for _, s := range l.detail("x", flow.PartSteps).Steps {
			if s.Kind == flow.StepActivity {
				names = append(names, s.Name)
			}
		}
		if want := []string{"book-flight", "book-hotel", "book-car", "return-hotel", "return-flight"}; !slices.Equal(names, want) {
			l.Errorf("steps %q, want %q", names, want)
		}
		l.noFile("x", "flight.txt")
		l.noFile("x", "hotel.txt")
	})
}

// TestTripIsCancelledOrConfirmed while everything is booked.
func TestTripIsCancelledOrConfirmed(t *testing.T) {
	for name, confirmed := range map[string]bool{"cancelled": false, "confirmed": true} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(l *lab) {
				l.start("trip", "x", `{"to": "Oslo", "pauseSeconds": 0}`)
				time.Sleep(time.Minute)
				if got, want := l.detail("x", flow.PartSummary).Compensations, []string{"return-car", "return-hotel", "return-flight"}; !slices.Equal(got, want) {
					l.Errorf("a cancel would call %q, want %q", got, want)
				}
				if confirmed {
					if err := demo.Confirmed.Send(l.Context(), l.eng, "x", engine.Void{}); err != nil {
						l.Fatal(err)
					}
					var got demo.Booked
					if err := l.result("x", &got); err != nil || !slices.Equal(got.Names, []string{"flight.txt", "hotel.txt", "car.txt"}) {
						l.Errorf("%+v, %v", got, err)
					}
					l.file("x", "car.txt")
					return
				}
				if _, err := l.eng.Operator().Do(l.Context(), flow.Act{Deed: flow.CancelRun{Target: flow.Ref{ID: "x"}}}); err != nil {
					l.Fatal(err)
				}
				l.crash()
				time.Sleep(10 * time.Minute)
				for _, file := range []string{"flight.txt", "hotel.txt", "car.txt"} {
					l.noFile("x", file)
				}
				if info, err := l.eng.Operator().Info(l.Context()); err != nil || info.Counts.Owed+info.Counts.Dead != 0 {
					l.Errorf("counts %+v, %v", info.Counts, err)
				}
			})
		})
	}
}
