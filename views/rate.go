package views

import "strings"

// rateKeeps is how many seconds of the rate are remembered.
const rateKeeps = 60

// Rate is how many notices came in each of the last seconds.
type Rate struct {
	samples []int
}

// Add takes in the number of one more second.
func (r Rate) Add(n int) Rate {
	r.samples = append(append([]int(nil), r.samples...), n)
	r.samples = r.samples[max(0, len(r.samples)-rateKeeps):]
	return r
}

// levels are the heights of a sparkline in ASCII.
const levels = "_.:-=+*#"

// Line is the rate as a sparkline of at most w cells, the newest at the right.
func (r Rate) Line(w int) string {
	s := r.samples[max(0, len(r.samples)-w):]
	most := 1
	for _, n := range s {
		most = max(most, n)
	}
	var b strings.Builder
	for _, n := range s {
		i := n * (len(levels) - 1) / most
		if n > 0 {
			i = max(i, 1)
		}
		b.WriteByte(levels[i])
	}
	return b.String()
}

// Last is the newest number.
func (r Rate) Last() int {
	if len(r.samples) == 0 {
		return 0
	}
	return r.samples[len(r.samples)-1]
}
