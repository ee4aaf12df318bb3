package list

import "time"

// Budget bounds how much one page may look at. The zero Budget is right.
type Budget struct {
	// Rows is the most rows; 0 means 20,000.
	Rows int
	// Time is how long the search may take; 0 means 50 ms.
	Time time.Duration
	// Now measures Time; nil means time.Now. Nothing else depends on it.
	Now func() time.Time
}

func (b Budget) resolve() Budget {
	if b.Rows == 0 {
		b.Rows = 20_000
	}
	if b.Time == 0 {
		b.Time = 50 * time.Millisecond
	}
	if b.Now == nil {
		b.Now = time.Now
	}
	return b
}

// meter spends a budget.
type meter struct {
	budget Budget
	// free: every row is one the page wants, so that the limit bounds the walk.
	free    bool
	scanned int64
	rows    int64
	until   time.Time
}

func newMeter(b Budget) *meter {
	b = b.resolve()
	return &meter{budget: b, rows: int64(b.Rows), until: b.Now().Add(b.Time)}
}

// look counts one row and reports whether another may be looked at.
func (m *meter) look() bool {
	m.scanned++
	return m.free || m.scanned < m.rows && m.budget.Now().Before(m.until)
}

// tighten leaves a tenth of the budget from here on.
func (m *meter) tighten() {
	m.free = false
	m.rows = min(m.rows, m.scanned+int64(m.budget.Rows/10))
	if t := m.budget.Now().Add(m.budget.Time / 10); t.Before(m.until) {
		m.until = t
	}
}
