package metrics

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Numbers that a test measured need not fit into a machine word: 256 bits are
// common. They come from a runner and from files, so their size is bounded.
const (
	// maxDigits is the longest number that is read; 256 bits have 78 digits.
	maxDigits = 128
	// maxExponent is the longest exponent, with its sign: a few characters could
	// stand for a number that fills the memory.
	maxExponent = 4
)

// parse reads a JSON number, exactly.
func parse(n json.Number) (*big.Rat, bool) {
	text := string(n)
	if len(text) > maxDigits || !json.Valid([]byte(text)) || strings.Trim(text, "-+.0123456789eE") != "" {
		return nil, false
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(text)-at-1 > maxExponent {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// number writes a number that parse read, or a sum of such, exactly.
func number(r *big.Rat) json.Number {
	digits, _ := r.FloatPrec() // sums of decimal numbers are decimal numbers
	return json.Number(r.FloatString(digits))
}

// Figures are two values and their difference.
type Figures struct {
	Before json.Number `json:"before"`
	After  json.Number `json:"after"`
	// Delta is After - Before.
	Delta json.Number `json:"delta"`
	// Percent is Delta in hundredths of Before; nil where that is 0, of which
	// nothing is a part, or where it is beyond what a float64 can hold.
	Percent *float64 `json:"percent,omitempty"`
}

func figures(before, after *big.Rat) Figures {
	delta := new(big.Rat).Sub(after, before)
	f := Figures{Before: number(before), After: number(after), Delta: number(delta)}
	if before.Sign() != 0 {
		share := new(big.Rat).Quo(delta, new(big.Rat).Abs(before))
		if p, _ := share.Mul(share, hundred()).Float64(); !math.IsInf(p, 0) {
			f.Percent = &p
		}
	}
	return f
}

func hundred() *big.Rat { return big.NewRat(100, 1) }

// percentage is a threshold as it was written in decimal: 1.1 is meant, and not
// the binary fraction beside it.
func percentage(p float64) *big.Rat {
	if r, ok := new(big.Rat).SetString(strconv.FormatFloat(max(p, 0), 'f', -1, 64)); ok {
		return r
	}
	return new(big.Rat)
}

// exceeds reports whether a change is larger than so many hundredths of the value
// before. From 0, every change is.
func exceeds(before, after, percent *big.Rat) bool {
	delta := new(big.Rat).Sub(after, before)
	change := delta.Mul(delta.Abs(delta), hundred())
	allowed := new(big.Rat).Mul(new(big.Rat).Abs(before), percent)
	return change.Cmp(allowed) > 0
}
