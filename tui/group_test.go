package tui

import (
	"fmt"
	"testing"
	"time"

	"weft/flow"
)

func TestGroupsLeadToTheirRows(t *testing.T) {
	f := owing()
	r := newRig(t, f, 80, 24)
	r.play("4 / 'status=failed,cancelled' enter : 'group type' enter")
	r.shows("Groups by type", "> sandbox", "6  ####", "7 rows")
	exact(t, "groups", r.frame(), 80, 24)
	r.keys("j enter")
	r.shows("/status=failed,cancelled type=", "of 9")
	r.play(": 'group status' enter enter")
	r.shows("/type=", "status=")
	r.lacks("failed,cancelled")
	r.play("esc : 'group colour' enter")
	r.shows("group by one of status type version tag error")
	r.play("7 : 'group type' enter")
	r.shows("groups are for lists")
}

// TestGroupsNoFilterCanName: runs with one error are marked, and acts then mean
// them.
func TestGroupsNoFilterCanName(t *testing.T) {
	f := newFake()
	for i := range 40 {
		f.add(fmt.Sprintf("ord-%02d", i), "order-process", flow.Failed, time.Hour).Failure =
			&flow.Failure{Category: flow.Application, Code: "declined", Message: fmt.Sprintf("40%d account closed", i%3)}
	}
	r := newRig(t, f, 80, 24)
	r.play("4 : 'group error' enter")
	r.shows("> declined 400 account closed", "14  ####", "13  ####")
	r.keys("j enter")
	r.shows("13 marked: error declined 401 account closed")
	if only, _, _ := r.m.list().Choice(); len(only) != 13 {
		t.Errorf("%d are marked", len(only))
	}
	r.play("esc 6 : 'group error' enter")
	r.shows("the list has no rows")
	r.keys("enter")
	r.shows("there is no group")
}

func TestGroupsSayWhatWasNotLookedAt(t *testing.T) {
	f := crowd(groupPages*flow.MaxLimit + 10)
	r := newRig(t, f, 80, 24)
	r.play(": 'group type' enter")
	r.shows(fmt.Sprintf(">=%d rows", groupPages*flow.MaxLimit))
}

// TestFilterWords is about what can be typed behind "/".
func TestFilterWords(t *testing.T) {
	for typed, want := range map[string]string{
		"~^ord-(7|8)": "2 of 6", "!ord": "1 of 6", "ORD": "0 of 6", "ord": "5 of 6", "older=10m": "2 of 6", "newer=3m !~^ord-9": "3 of 6",
	} {
		r := newRig(t, owing(), 80, 24)
		r.play("/ '" + typed + "' wait enter")
		r.shows("/"+typed, want)
	}
	r := newRig(t, owing(), 80, 24)
	r.play("/ '~^ord' wait '-(7' wait")
	r.shows("missing closing )", "> R ord-a10b33de")
	r.keys("enter")
	r.shows("the filter is kept as it was")
	r.shows("5 of 6")
}
