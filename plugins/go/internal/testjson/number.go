package testjson

import "strconv"

// exactDigits is how many decimal digits a float64 holds without loss.
const exactDigits = 15

// cutNumber cuts a JSON number off the front of b.
func cutNumber(b []byte) (value float64, rest []byte, ok bool) {
	end := 0
	for end < len(b) && b[end] != ',' && b[end] != '}' {
		end++
	}
	if end == len(b) {
		return 0, nil, false
	}
	text := b[:end]
	if value, ok = plainDecimal(text); ok {
		return value, b[end:], true
	}
	if !isNumber(text) {
		return 0, nil, false
	}
	value, err := strconv.ParseFloat(string(text), 64)
	return value, b[end:], err == nil
}

// plainDecimal parses "12" and "0.034", the forms that test2json writes.
func plainDecimal(text []byte) (float64, bool) {
	if len(text) == 0 || len(text) > exactDigits || text[0] == '0' && len(text) > 1 && text[1] != '.' {
		return 0, false
	}
	var digits, scale int64 = 0, 0
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits = digits*10 + int64(c-'0')
			scale *= 10
		case c == '.' && scale == 0 && i > 0 && i+1 < len(text):
			scale = 1
		default:
			return 0, false
		}
	}
	if scale == 0 {
		return float64(digits), true
	}
	return float64(digits) / float64(scale), true
}

// isNumber checks JSON's grammar, which is narrower than strconv's.
func isNumber(text []byte) bool {
	i := 0
	digits := func() bool {
		start := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if !digits() {
		return false
	}
	if i < len(text) && text[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(text)
}
