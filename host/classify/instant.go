package classify

import "strings"

// units are those of durations as programs print them, right behind a number.
func unit(text string) int {
	for _, u := range [...]string{"ns", "µs", "μs", "us", "ms", "s", "m", "h"} {
		if strings.HasPrefix(text, u) {
			return len(u)
		}
	}
	return 0
}

// unitWord is a unit behind a number and a space. Single letters are none: they
// could be anything.
func unitWord(text string) int {
	n := wordLength(text[:min(len(text), 16)])
	switch strings.ToLower(text[:n]) {
	case "ns", "µs", "μs", "us", "ms", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes",
		"hour", "hours", "millisecond", "milliseconds", "microsecond", "microseconds", "nanosecond", "nanoseconds":
		return n
	}
	return 0
}

// duration is a time that something took: "0.53s", "1m2.5s", "300 ms".
func duration(text string, prev byte) (int, string) {
	if prev == '.' {
		return 0, ""
	}
	size := 0
	for size < len(text) {
		n := number(text[size:])
		if n == 0 {
			break
		}
		u := unit(text[size+n:])
		if u == 0 && size == 0 && strings.HasPrefix(text[n:], " ") {
			if w := unitWord(text[n+1:]); w > 0 {
				return n + 1 + w, "<duration>"
			}
		}
		if u == 0 {
			return 0, ""
		}
		size += n + u
	}
	if size == 0 || !ends(text, size) {
		return 0, ""
	}
	return size, "<duration>"
}

// number is a decimal number, with a fraction or without.
func number(text string) int {
	n := digits(text)
	if n > 0 && n+1 < len(text) && text[n] == '.' {
		if f := digits(text[n+1:]); f > 0 {
			return n + 1 + f
		}
	}
	return n
}

// timestamp is a date with a time of day.
func timestamp(text string, _ byte) (int, string) {
	const day = "dddd-dd-dd"
	if !shaped(text, day, 'd', isDigit) && !shaped(text, "dddd/dd/dd", 'd', isDigit) {
		return 0, ""
	}
	rest := text[len(day):]
	if rest == "" || rest[0] != 'T' && rest[0] != ' ' && rest[0] != '_' {
		return 0, ""
	}
	n, _ := clock(rest[1:], 0)
	if n == 0 {
		return 0, ""
	}
	return len(day) + 1 + n, "<time>"
}

// clock is a time of day with seconds: "15:04:05.999Z", "15:04:05 +0000 UTC
// m=+0.003".
func clock(text string, _ byte) (int, string) {
	const shape = "dd:dd:dd"
	if !shaped(text, shape, 'd', isDigit) {
		return 0, ""
	}
	n := len(shape)
	if n < len(text) && (text[n] == '.' || text[n] == ',') {
		if f := digits(text[n+1:]); f > 0 {
			n += 1 + f
		}
	}
	n += zone(text[n:])
	n += monotonic(text[n:])
	if !ends(text, n) {
		return 0, ""
	}
	return n, "<time>"
}

// zone is "Z", "+02:00", " +0200 CEST".
func zone(text string) int {
	if strings.HasPrefix(text, "Z") {
		return 1
	}
	n := run(text[:min(len(text), 1)], func(c byte) bool { return c == ' ' })
	rest := text[n:]
	switch {
	case shaped(rest, "+dd:dd", 'd', isDigit), shaped(rest, "-dd:dd", 'd', isDigit):
		return n + len("+dd:dd")
	case shaped(rest, "+dddd", 'd', isDigit), shaped(rest, "-dddd", 'd', isDigit):
		n += len("+dddd")
	default:
		return 0
	}
	// A name of a zone, or its difference once more.
	if name := text[n:min(len(text), n+6)]; strings.HasPrefix(name, " ") {
		if w := run(name[1:], func(c byte) bool { return c >= 'A' && c <= 'Z' || c == '+' || c == '-' || isDigit(c) }); w >= 3 {
			n += 1 + w
		}
	}
	return n
}

// monotonic is the reading of a monotonic clock, " m=+0.003".
func monotonic(text string) int {
	const before = " m=+"
	if !strings.HasPrefix(text, before) && !strings.HasPrefix(text, " m=-") {
		return 0
	}
	if n := number(text[len(before):]); n > 0 {
		return len(before) + n
	}
	return 0
}
