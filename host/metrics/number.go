package metrics

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Measured numbers need not fit into a machine word: 256 bits are common. They come
// from a runner and from files, so their size is bounded.
const (
	// maxDigits is the length of the longest number accepted; 256 bits have 78 digits.
	maxDigits = 128
	// maxExponent is the length of the longest exponent, sign included: a few
	// characters could stand for a number that fills the memory.
	maxExponent = 4
)

// parseNumber reads a JSON number exactly.
func parseNumber(n json.Number) (*big.Rat, bool) {
	text := string(n)
	if len(text) > maxDigits || !json.Valid([]byte(text)) || strings.Trim(text, "-+.0123456789eE") != "" {
		return nil, false
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(text)-at-1 > maxExponent {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// formatNumber formats a number from [parseNumber], or a sum of such numbers, exactly.
func formatNumber(r *big.Rat) json.Number {
	digits, _ := r.FloatPrec() // sums of decimal numbers are decimal numbers
	return json.Number(r.FloatString(digits))
}

// Figures are two values and their difference.
type Figures struct {
	Before json.Number `json:"before"`
	After  json.Number `json:"after"`
	// Delta is After - Before.
	Delta json.Number `json:"delta"`
	// Percent is Delta as a percentage of Before; nil if Before is 0 or the result does
	// not fit a float64.
	Percent *float64 `json:"percent,omitempty"`
}

func newFigures(before, after *big.Rat) Figures {
	delta := new(big.Rat).Sub(after, before)
	f := Figures{Before: formatNumber(before), After: formatNumber(after), Delta: formatNumber(delta)}
	if before.Sign() != 0 {
		share := new(big.Rat).Quo(delta, new(big.Rat).Abs(before))
		if p, _ := share.Mul(share, hundred()).Float64(); !math.IsInf(p, 0) {
			f.Percent = &p
		}
	}
	return f
}

func hundred() *big.Rat { return big.NewRat(100, 1) }

// parseThreshold returns the threshold as it was written in decimal: 1.1, not the binary
// fraction next to it.
func parseThreshold(p float64) *big.Rat {
	if r, ok := new(big.Rat).SetString(strconv.FormatFloat(max(p, 0), 'f', -1, 64)); ok {
		return r
	}
	return new(big.Rat)
}

// exceeds reports whether a change is larger than this percentage of the value before.
// Any change from 0 is.
func exceeds(before, after, percent *big.Rat) bool {
	delta := new(big.Rat).Sub(after, before)
	change := delta.Mul(delta.Abs(delta), hundred())
	allowed := new(big.Rat).Mul(new(big.Rat).Abs(before), percent)
	return change.Cmp(allowed) > 0
}
