package list

import (
	"fmt"

	"weft/engine/row"
	"weft/flow"
	"weft/store"
)

// Audit reads one page of the audit, newest first. The filter is not used. A
// damaged record is shown with its number and the reason.
func Audit(r store.Reader, q flow.Query) (flow.Page, error) { return Budget{}.Audit(r, q) }

// Audit is the function [Audit] within another budget, which bounds how far it
// counts.
func (b Budget) Audit(r store.Reader, q flow.Query) (flow.Page, error) {
	after, err := byNumber.position(q.After)
	if err != nil {
		return flow.Page{}, err
	}
	m := newMeter(b)
	m.free = true
	w := newWindow(q, byNumber, m)
	var records []flow.Audit
	source := scan(r, behind([]byte(row.FamilyAudit), after, !q.Backward), func(kv store.Row) (entry, bool) {
		number, ok := row.ParseAudit(kv.Key)
		if ok && len(records) < w.limit {
			records = append(records, record(number, kv.Value))
		}
		return entry{at: position(kv.Key[len(row.FamilyAudit):])}, ok
	})
	if err := w.fill(source, func(*entry) (bool, error) { return true, nil }); err != nil {
		return flow.Page{}, fmt.Errorf("list audit: %w", err)
	}
	page := w.page()
	page.Audit = records
	c, err := readCensus(r)
	page.Counts = c.sum()
	return page, err
}

func record(number uint64, value []byte) flow.Audit {
	a, err := row.DecodeAudit(number, value)
	if err != nil {
		return flow.Audit{Number: number, Text: "unreadable: " + err.Error()}
	}
	return a
}
