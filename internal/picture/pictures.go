package main

// The size of most pictures, in cells.
const (
	wide = 120
	high = 40
)

// picture is one frame of the demo: what is pressed to get there, and what must
// be seen before the next key.
type picture struct {
	name  string
	title string
	// width and height change the terminal; zero leaves it.
	width, height int
	steps         []step
}

type step struct {
	keys string
	sees []string
}

// visit opens a run.
func visit(id string) []step {
	return []step{{":go " + id, []string{":go " + id}}, {"\r", []string{"= 0 Inspector", id}}}
}

// pictures are taken in this order, in one session.
var pictures = []picture{
	{"teardowns", "An owed teardown, beside the cancelled run it belongs to", 0, 0,
		[]step{{"5", []string{"= 5 Owed", "sandbox-stubborn", "destroy-sandbox  owed", "journal"}}}},
	{"dead", "A dead letter: a teardown that was given up after eight attempts", 0, 0,
		[]step{{"6", []string{"= 6 Dead", "sandbox-lost", "given up", "journal"}}}},
	{"lease", "The lease: who owns the store, since when, and who did before", 0, 0,
		[]step{{"7", []string{"= 7 Lease", "released"}}}},
	{"overview", "The overview: counts by status, what is owed, the lease, problems and the store", 0, 0,
		[]step{{"1", []string{"= 1 Overview"}}}},
	{"running", "The running workflows beside the run under the cursor, with owed teardowns, dead letters and the feed below", 0, 0,
		[]step{{"2", []string{"= 2 Running"}}, {"g", nil}, {"jj", []string{"journal", "step"}}}},
	{"cancel", "The question before a run is cancelled, which says what will happen", 0, 0,
		append(visit("sandbox-ana"), step{"", []string{"due in 59m"}}, step{"c", []string{"do it"}})},
	{"timeline", "The timeline of a run whose download breaks off again and again", 0, 0,
		append(append([]step{{"n", nil}}, visit("nightly-download")...), step{"]", []string{"[Timeline]", "connection lost", "attempt 2/6"}})},
	{"small", "The running workflows in a terminal of 80 by 24 cells", 80, 24,
		[]step{{"[", []string{"[Overview]"}}, {"2", []string{"[2 Run", "sandbox-ana", "input"}}}},
}
