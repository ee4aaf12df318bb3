package flow

import "strings"

// List says what a page is of.
type List string

const (
	ListRuns      List = "runs"
	ListTeardowns List = "teardowns" // what is owed
	ListDead      List = "dead"      // dead letters
	ListTypes     List = "types"     // registered, or with runs in the store
	ListAudit     List = "audit"     // what operators did, the latest first
	ListFeed      List = "feed"      // notices that are still kept, the latest first
)

// Sort is the order of a list of runs.
type Sort string

const (
	// ByCreated is newest first; the zero Sort means it.
	ByCreated Sort = "created"
	// ByClosed is last ended first; it lists terminal runs only.
	ByClosed Sort = "closed"
	// ByID is in the order of ids.
	ByID Sort = "id"
)

// ByAttribute is greatest value first, of the runs that have the attribute: @ and
// its name.
func ByAttribute(name string) Sort { return Sort("@" + name) }

// Attribute is the attribute that s sorts by.
func (s Sort) Attribute() (name string, ok bool) { return strings.CutPrefix(string(s), "@") }

// Filter chooses runs. The zero Filter chooses all; conditions add up. Those on
// id, type, version, status, tag and attribute are answered from an index, the
// others within the scan budget.
type Filter struct {
	// Statuses: one of them is the run's; none is no condition.
	Statuses []Status `json:"statuses,omitempty"`
	// Type and Version are the run's own, whole; "" is no condition.
	Type    string `json:"type,omitempty"`
	Version string `json:"version,omitempty"`
	// IDPrefix chooses ids that begin with it.
	IDPrefix string `json:"idPrefix,omitempty"`
	// Contains chooses runs whose id, type or tags contain it, in any case.
	Contains string `json:"contains,omitempty"`
	// Match and Not are patterns (RE2): Match chooses runs of which one of these
	// texts matches, Not those of which none does.
	Match string `json:"match,omitempty"`
	Not   string `json:"not,omitempty"`
	// Held, when set, chooses held runs or the others.
	Held *bool `json:"held,omitempty"`
	// Tag, and all of Tags, are tags of the run.
	Tag  string   `json:"tag,omitempty"`
	Tags []string `json:"tags,omitempty"`
	// Attributes must all pass.
	Attributes []AttributeTest `json:"attributes,omitempty"`
	// CreatedFrom and CreatedTo bound the creation: from inclusive, to
	// exclusive; zero is no bound.
	CreatedFrom Instant `json:"createdFrom,omitzero"`
	CreatedTo   Instant `json:"createdTo,omitzero"`
}

// DefaultLimit and MaxLimit bound the rows of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)

// Query asks for one page of one list.
type Query struct {
	Of     List   `json:"of"`
	Filter Filter `json:"filter"`
	Sort   Sort   `json:"sort,omitempty"`
	// Backward turns the order round, which also pages towards the start.
	Backward bool `json:"backward,omitempty"`
	// After is the cursor of a row (Page.Cursors): the page begins behind it.
	// "" is the beginning.
	After string `json:"after,omitempty"`
	// Limit is the most rows; 0 means DefaultLimit, above MaxLimit means
	// MaxLimit.
	Limit int `json:"limit,omitempty"`
}

// Page is a window of a list, read from one snapshot.
type Page struct {
	// Exactly one of these is filled, by Query.Of.
	Runs      []Run      `json:"runs,omitempty"`
	Teardowns []Teardown `json:"teardowns,omitempty"`
	Dead      []Dead     `json:"dead,omitempty"`
	Types     []Type     `json:"types,omitempty"`
	Audit     []Audit    `json:"audit,omitempty"`
	Feed      []Notice   `json:"feed,omitempty"`
	// Cursors has one per row: give it as Query.After to go on behind it.
	Cursors []string `json:"cursors,omitempty"`
	// More: there are, or may be, rows behind the last one. Next is the cursor
	// to go on with: behind the last row, or where the scan budget ended.
	More bool   `json:"more"`
	Next string `json:"next,omitempty"`
	// Total is how many rows the filter chooses, -1 when not known exactly;
	// then it is at least AtLeast, after Scanned rows were looked at.
	Total   int64 `json:"total"`
	AtLeast int64 `json:"atLeast"`
	Scanned int64 `json:"scanned"`
	// Counts are from the same snapshot, At the time of reading.
	Counts Counts  `json:"counts"`
	At     Instant `json:"at"`
}

// Counts is how many runs there are by status, what is owed and what is dead.
type Counts struct {
	Pending   int64 `json:"pending"`
	Running   int64 `json:"running"`
	Suspended int64 `json:"suspended"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
	Cancelled int64 `json:"cancelled"`
	TimedOut  int64 `json:"timed-out"`
	Owed      int64 `json:"owed"`
	Dead      int64 `json:"dead"`
}

// Of is the count of one status.
func (c *Counts) Of(s Status) int64 {
	if p := c.at(s); p != nil {
		return *p
	}
	return 0
}

// Add adds n to the count of one status.
func (c *Counts) Add(s Status, n int64) {
	if p := c.at(s); p != nil {
		*p += n
	}
}

// Runs is how many runs there are.
func (c *Counts) Runs() int64 {
	return c.Pending + c.Running + c.Suspended + c.Terminal()
}

// Terminal is how many have ended.
func (c *Counts) Terminal() int64 { return c.Completed + c.Failed + c.Cancelled + c.TimedOut }

func (c *Counts) at(s Status) *int64 {
	switch s {
	case Pending:
		return &c.Pending
	case Running:
		return &c.Running
	case Suspended:
		return &c.Suspended
	case Completed:
		return &c.Completed
	case Failed:
		return &c.Failed
	case Cancelled:
		return &c.Cancelled
	case TimedOut:
		return &c.TimedOut
	}
	return nil
}

// Type is what is known of one workflow type.
type Type struct {
	Name string `json:"name"`
	// Version is the registered one; "" when the type is not registered here.
	Version    string `json:"version"`
	Registered bool   `json:"registered"`
	// Versions are the counts by recorded version.
	Versions []VersionCounts `json:"versions"`
	// Example is an input to begin with; Input is "" or a word for its shape.
	Example   Payload  `json:"example,omitempty"`
	Signals   []string `json:"signals"`
	Queries   []string `json:"queries"`
	Updates   []string `json:"updates"`
	Finalizer string   `json:"finalizer"`
}

// VersionCounts is how many runs of one recorded version there are.
type VersionCounts struct {
	Version string `json:"version"`
	Counts  Counts `json:"counts"`
}

// Part says what Detail is to contain.
type Part string

const (
	// PartSummary is the run, its input and its result.
	PartSummary Part = "summary"
	// PartSteps adds the steps.
	PartSteps Part = "steps"
	// PartEvents adds the journal and the registered waits: see [JournalOf].
	PartEvents Part = "events"
	// PartSignals adds the buffered signals.
	PartSignals Part = "signals"
	// PartFamily adds the children.
	PartFamily Part = "family"
)

// Detail is one run, read from one snapshot.
type Detail struct {
	Run     Run              `json:"run"`
	Input   Payload          `json:"input"`
	Output  Payload          `json:"output"`
	Steps   []Step           `json:"steps,omitempty"`
	Events  []Event          `json:"events,omitempty"`
	Waits   []Wait           `json:"waits,omitempty"`
	Signals []BufferedSignal `json:"signals,omitempty"`
	// Children are the runs it started, by step, MaxLimit at most;
	// MoreChildren says that there are more.
	Children     []Child `json:"children,omitempty"`
	MoreChildren bool    `json:"moreChildren,omitempty"`
	// Finalizer is the teardown that a cancel would owe, with the state that is
	// recorded for it; "" when none is.
	Finalizer      string  `json:"finalizer,omitempty"`
	FinalizerState Payload `json:"finalizerState,omitempty"`
	// Headers are what the start handed on to everything the run does.
	Headers map[string]string `json:"headers,omitempty"`
	// Past are the runs before this one that continued as new, the latest first;
	// the oldest are not kept.
	Past []PastRun `json:"past,omitempty"`
	// Compensations are those of open sagas, the first to be called first.
	Compensations []string `json:"compensations,omitempty"`
	// Bytes is what the run's journal takes.
	Bytes int64   `json:"bytes"`
	At    Instant `json:"at"`
}

// Child is a run that another one started. Its status is 0 when it is no longer
// there: purged, or replaced by a new run of its id.
type Child struct {
	Ref
	Type   string   `json:"type"`
	Step   StepPath `json:"step"`
	Status Status   `json:"status,omitempty"`
	// Abandoned: the end of the parent does not reach it.
	Abandoned bool    `json:"abandoned,omitempty"`
	CreatedAt Instant `json:"createdAt,omitzero"`
	ClosedAt  Instant `json:"closedAt,omitzero"`
}

// BufferedSignal is a signal that the run has not yet taken.
type BufferedSignal struct {
	Name    string  `json:"name"`
	ID      string  `json:"id,omitempty"`
	Payload Payload `json:"payload"`
	At      Instant `json:"at"`
}
