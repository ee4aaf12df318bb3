package flow

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds of numbers, which are exact within them.
const (
	maxDigits   = 40
	maxExponent = 999
)

// decimal is ±0.digits × 10^exp; no digits is zero.
type decimal struct {
	neg    bool
	digits string // no zero first or last
	exp    int
}

// parseDecimal reads a number as JSON has it, exactly.
func parseDecimal(s string) (d decimal, problem string) {
	rest, neg := strings.CutPrefix(s, "-")
	mantissa, exponent, hasExp := strings.Cut(strings.ToLower(rest), "e")
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if whole == "" || hasPoint && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return d, "is no number"
	}
	if hasExp {
		n, err := strconv.Atoi(exponent)
		if err != nil {
			return d, "is no number"
		}
		d.exp = n
	}
	d.exp += len(whole)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	d.exp -= len(whole+fraction) - len(d.digits)
	d.digits = strings.TrimRight(d.digits, "0")
	switch {
	case d.digits == "":
		return decimal{}, ""
	case len(d.digits) > maxDigits:
		return d, fmt.Sprintf("has %d digits, at most %d are kept exactly", len(d.digits), maxDigits)
	case d.exp > maxExponent || d.exp < -maxExponent:
		return d, "is too large or too small"
	}
	d.neg = neg
	return d, ""
}

func (d decimal) text() string {
	sign := ""
	if d.neg {
		sign = "-"
	}
	n := len(d.digits)
	switch {
	case n == 0:
		return "0"
	case d.exp > 21 || d.exp < -6:
		s := d.digits[:1]
		if n > 1 {
			s += "." + d.digits[1:]
		}
		return fmt.Sprintf("%s%se%d", sign, s, d.exp-1)
	case d.exp <= 0:
		return sign + "0." + strings.Repeat("0", -d.exp) + d.digits
	case d.exp >= n:
		return sign + d.digits + strings.Repeat("0", d.exp-n)
	}
	return sign + d.digits[:d.exp] + "." + d.digits[d.exp:]
}

// order is a text in the order of the numbers: sign, exponent, digits; of a
// negative number the last two are turned round and closed by a character behind
// all digits.
func (d decimal) order() string {
	if d.digits == "" {
		return "1"
	}
	s := fmt.Sprintf("%04d%s", d.exp+maxExponent+1, d.digits)
	if !d.neg {
		return "2" + s
	}
	b := []byte("0" + s)
	for i := 1; i < len(b); i++ {
		b[i] = '0' + '9' - b[i]
	}
	return string(b) + "~"
}
