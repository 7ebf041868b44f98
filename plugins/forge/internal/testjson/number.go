package testjson

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// parseWhole returns a whole number, which may be in a string, as decimal text.
func parseWhole(raw json.RawMessage) string {
	s := strings.Trim(string(raw), `"`)
	if digits := strings.TrimPrefix(s, "-"); digits != "" && strings.Trim(digits, "0123456789") == "" && len(digits) <= maxDigits {
		return s
	}
	if f, ok := new(big.Float).SetString(s); ok && !f.IsInf() && len(s) < maxDigits && f.MantExp(nil) < 300 {
		i, _ := f.Int(nil)
		return i.String()
	}
	return ""
}

func isDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= maxDigits
}

// maxDigits is more than a uint256 has.
const maxDigits = 100

func parseInteger(raw json.RawMessage) int64 {
	n, _ := strconv.ParseInt(parseWhole(raw), 10, 64)
	return n
}

func formatDecimal(n int64) string { return strconv.FormatInt(n, 10) }
