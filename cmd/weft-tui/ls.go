package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/flow"
	"weft/tui"
)

// listFlags choose runs.
type listFlags struct {
	window
	statuses           []string
	filter             flow.Filter
	held, notHeld      bool
	sort               string
	attributes         []string
	createdFrom, until string
	reverse            bool
}

func (p *program) listCommand() *cobra.Command {
	var flags listFlags
	out := printer{w: p.out}
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List runs",
		Args:  named(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := flags.query()
			if err != nil {
				return err
			}
			return p.look(cmd.Context(), func(ctx context.Context, c tui.Console) error {
				return p.list(ctx, c, q, flags.window, out)
			})
		},
	}
	f := cmd.Flags()
	flags.window.flags(f)
	f.StringSliceVar(&flags.statuses, "status", nil, "only these `statuses`, with commas between")
	f.StringVar(&flags.filter.Type, "type", "", "only this `type`")
	f.StringVar(&flags.filter.Version, "version", "", "only this recorded `version`")
	f.StringVar(&flags.filter.IDPrefix, "prefix", "", "only ids that begin with `text`")
	f.StringVar(&flags.filter.Contains, "contains", "", "only runs whose id, type or tags contain `text`")
	f.StringVar(&flags.filter.Match, "match", "", "only runs whose id, type or a tag matches this `pattern` (RE2)")
	f.StringVar(&flags.filter.Not, "not", "", "only runs of which none of these matches this `pattern`")
	f.StringVar(&flags.filter.Tag, "tag", "", "only runs with this `tag`")
	f.StringArrayVar(&flags.attributes, "attr", nil, "only runs whose attribute passes, such as `'amount>=100'`: = != < <= > >=; may be repeated")
	f.BoolVar(&flags.held, "held", false, "only runs whose type or version is not registered here")
	f.BoolVar(&flags.notHeld, "not-held", false, "only the others")
	f.StringVar(&flags.createdFrom, "created-from", "", "only runs created at or after this `time` (RFC 3339)")
	f.StringVar(&flags.until, "created-to", "", "only runs created before this `time` (RFC 3339)")
	f.StringVar(&flags.sort, "sort", string(flow.ByCreated), "created, closed (ended runs only), id, or @ and the name of an attribute")
	f.BoolVar(&flags.reverse, "reverse", false, "turn the order round")
	f.BoolVar(&out.json, "json", false, "print one JSON object")
	return cmd
}

// query is what the flags ask for.
func (f listFlags) query() (flow.Query, error) {
	q := flow.Query{Of: flow.ListRuns, Filter: f.filter, Sort: flow.Sort(f.sort), Backward: f.reverse}
	if err := f.window.check(); err != nil {
		return q, err
	}
	if _, err := f.filter.Patterns(); err != nil {
		return q, usage("%w", err)
	}
	for _, text := range f.statuses {
		s, err := flow.ParseStatus(text)
		if err != nil {
			return q, usage("--%v", err)
		}
		q.Filter.Statuses = append(q.Filter.Statuses, s)
	}
	for _, text := range f.attributes {
		t, err := flow.ParseAttributeTest(text)
		if err != nil {
			return q, usage("--attr: %w", err)
		}
		q.Filter.Attributes = append(q.Filter.Attributes, t)
	}
	if err := checkSort(q.Sort); err != nil {
		return q, err
	}
	if f.held && f.notHeld {
		return q, usage("--held and --not-held exclude each other")
	}
	if f.held || f.notHeld {
		q.Filter.Held = &f.held
	}
	var err error
	if q.Filter.CreatedFrom, err = instant("--created-from", f.createdFrom); err != nil {
		return q, err
	}
	q.Filter.CreatedTo, err = instant("--created-to", f.until)
	return q, err
}

func checkSort(s flow.Sort) error {
	switch s {
	case flow.ByCreated, flow.ByClosed, flow.ByID:
		return nil
	}
	if name, ok := s.Attribute(); ok {
		if err := flow.CheckAttributeName(name); err != nil {
			return usage("--sort: %w", err)
		}
		return nil
	}
	return usage("--sort %q is none of created, closed, id, @attribute", s)
}

// shown are the attributes that a query is about: they are columns of its own.
func shown(q flow.Query) (names []string) {
	for _, t := range q.Filter.Attributes {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	if name, ok := q.Sort.Attribute(); ok && !slices.Contains(names, name) {
		names = append(names, name)
	}
	return names
}

// list prints the runs of q.
func (p *program) list(ctx context.Context, c tui.Console, q flow.Query, w window, out printer) error {
	l, err := read(ctx, c, q, w, func(page flow.Page) []flow.Run { return page.Runs })
	if err != nil {
		return err
	}
	if out.json {
		return out.value(struct {
			Runs []flow.Run `json:"runs"`
			extent
		}{l.rows, l.extent()})
	}
	if err := runTable(l.rows, out, shown(q)...); err != nil {
		return err
	}
	p.note(l.rest())
	return nil
}

func runTable(runs []flow.Run, out printer, attributes ...string) error {
	heads := []string{"ID", "RUN", "STATUS", "TYPE", "CREATED"}
	for _, name := range attributes {
		heads = append(heads, strings.ToUpper(name))
	}
	table := make([][]string, len(runs))
	for i, r := range runs {
		table[i] = []string{string(r.ID), string(r.Run), statusWord(r), typeWord(r), r.CreatedAt.String()}
		for _, name := range attributes {
			table[i] = append(table[i], r.Attributes[name])
		}
		table[i] = append(table[i], progress(r))
	}
	return out.table(append(heads, "AT"), table)
}

// note tells people on standard error what is no data.
func (p *program) note(text string) {
	if text != "" {
		fmt.Fprintln(p.err, text)
	}
}

func statusWord(r flow.Run) string {
	if r.Held && !r.Status.Terminal() {
		return r.Status.String() + ", held"
	}
	return r.Status.String()
}

func typeWord(r flow.Run) string {
	if r.Version == "" {
		return r.Type
	}
	return r.Type + " " + r.Version
}

// progress says in a few words how far a run is.
func progress(r flow.Run) string {
	switch {
	case r.Failure != nil:
		return r.Failure.Message
	case r.Held && !r.Status.Terminal() && r.HeldBecause != "":
		return r.HeldBecause
	case r.Reason != "":
		return r.Reason
	case r.Waiting != "" && r.Step != "":
		return "step " + string(r.Step) + ": " + r.Waiting
	}
	return strings.TrimSpace(r.Waiting + " " + r.Summary)
}
