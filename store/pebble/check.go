package pebble

import (
	"fmt"

	"weft/store"
)

// Report is what a check has looked at.
type Report struct {
	Rows, Bytes, Counters int
	Group, HighWater      store.Group
}

// Check reads every row and every block, and compares the store's own rows with
// each other and with high-water. The rows in the given ranges must be counters.
// It answers the first thing that is wrong. It takes as long as reading
// everything does.
func (s *Store) Check(counters ...store.Range) (Report, error) {
	v, err := s.views.acquire()
	if err != nil {
		return Report{}, err
	}
	defer v.release() // keeps Close away while Pebble is used
	report := Report{Group: v.group}
	t, err := readTrail(v.snap)
	if err != nil {
		return report, fmt.Errorf("check: %w", translate(err))
	}
	report.HighWater, _, err = readHighWater(s.place, s.info.ID)
	if err != nil {
		return report, fmt.Errorf("check: %w", translate(err))
	}
	// high-water may be ahead of v, but not of what is durable by now.
	if durable := store.Group(s.durable.Load()); report.HighWater > durable {
		return report, fmt.Errorf("check: %w: high-water is at group %d, the store at %d", store.ErrDataLoss, report.HighWater, durable)
	}
	if err := t.verify(v.group); err != nil {
		return report, fmt.Errorf("check: %w", err)
	}
	if err := s.db.CheckLevels(nil); err != nil {
		return report, fmt.Errorf("check: %w: %w", store.ErrCorrupt, err)
	}
	return report, v.checkRows(&report, counters)
}

func (v *view) checkRows(report *Report, counters []store.Range) (err error) {
	v.scan(store.Range{}, func(row store.Row, rowErr error) bool {
		err = rowErr
		report.Rows++
		report.Bytes += len(row.Key) + len(row.Value)
		return err == nil
	})
	for _, r := range counters {
		v.scan(r, func(row store.Row, rowErr error) bool {
			if err == nil && rowErr == nil {
				report.Counters++
				_, rowErr = store.DecodeCounter(row.Value)
			}
			if rowErr != nil {
				err = fmt.Errorf("counter %q: %w", row.Key, rowErr)
			}
			return err == nil
		})
	}
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	return nil
}
