package config

import "slices"

// near is the name that was probably meant, "" when none is close.
func near(name string, known []string) string {
	best, least := "", 3
	if len(name) < 4 {
		least = 2
	}
	slices.Sort(known)
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is how many letters differ, a swap of two neighbours counted once.
func distance(a, b string) int {
	var before, above, row []int
	for j := range len(b) + 1 {
		above = append(above, j)
	}
	for i := range len(a) {
		row = append(make([]int, 0, len(b)+1), i+1)
		for j := range len(b) {
			cost := above[j]
			if a[i] != b[j] {
				cost++
			}
			cost = min(cost, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			row = append(row, cost)
		}
		before, above = above, row
	}
	return above[len(b)]
}
