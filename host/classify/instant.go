package classify

import "strings"

// matchUnit returns the length of a unit of time right after a number.
func matchUnit(text string) int {
	for _, u := range [...]string{"ns", "µs", "μs", "us", "ms", "s", "m", "h"} {
		if strings.HasPrefix(text, u) {
			return len(u)
		}
	}
	return 0
}

// unitWord returns the length of a unit after a number and a space. Single letters do
// not count: they could be anything.
func unitWord(text string) int {
	n := wordLength(text[:min(len(text), 16)])
	switch strings.ToLower(text[:n]) {
	case "ns", "µs", "μs", "us", "ms", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes",
		"hour", "hours", "millisecond", "milliseconds", "microsecond", "microseconds", "nanosecond", "nanoseconds":
		return n
	}
	return 0
}

// matchDuration recognizes an elapsed time: "0.53s", "1m2.5s", "300 ms".
func matchDuration(text string, prev byte) (int, string) {
	if prev == '.' {
		return 0, ""
	}
	size := 0
	for size < len(text) {
		n := matchNumber(text[size:])
		if n == 0 {
			break
		}
		u := matchUnit(text[size+n:])
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
	if size == 0 || !endsWord(text, size) {
		return 0, ""
	}
	return size, "<duration>"
}

// matchNumber returns the length of a decimal number, with or without a fraction.
func matchNumber(text string) int {
	n := matchDigits(text)
	if n > 0 && n+1 < len(text) && text[n] == '.' {
		if f := matchDigits(text[n+1:]); f > 0 {
			return n + 1 + f
		}
	}
	return n
}

// matchTimestamp recognizes a date with a time of day: "2006-01-02T15:04:05.999Z",
// "01/02/2006 15:04:05", "20060102T150405Z".
func matchTimestamp(text string, _ byte) (int, string) {
	if len(text) < len("20060102T150405") {
		return 0, ""
	}
	if !isDigit(text[0]) || !isDigit(text[1]) {
		return 0, ""
	}
	day := len("dddd-dd-dd")
	switch {
	case hasShape(text, "dddddddd", 'd', isDigit):
		const compact = "dddddddd-dddddd"
		if !hasShape(text, compact, 'd', isDigit) && !hasShape(text, "ddddddddTdddddd", 'd', isDigit) {
			return 0, ""
		}
		n := len(compact)
		n += matchFraction(text[n:])
		if n += matchZone(text[n:]); !endsWord(text, n) {
			return 0, ""
		}
		return n, "<time>"
	case hasShape(text, "dddd-dd-dd", 'd', isDigit), hasShape(text, "dddd/dd/dd", 'd', isDigit), hasShape(text, "dd/dd/dddd", 'd', isDigit):
	default:
		return 0, ""
	}
	rest := text[day:]
	if rest == "" || rest[0] != 'T' && rest[0] != ' ' && rest[0] != '_' {
		return 0, ""
	}
	n, _ := matchClock(rest[1:], 0)
	if n == 0 {
		n = matchMinutes(rest[1:])
	}
	if n == 0 {
		return 0, ""
	}
	return day + 1 + n, "<time>"
}

// logLine recognizes the start of some programs' log lines: "I0102 15:04:05.000000".
func logLine(text string, size int) (int, string) {
	if size != len("I0102") || strings.IndexByte("IWEF", text[0]) < 0 || !hasShape(text[1:], "dddd dd:dd:dd.", 'd', isDigit) {
		return 0, ""
	}
	n, _ := matchClock(text[size+1:], 0)
	return size + 1 + n, "<time>"
}

// matchMinutes returns the length of a time of day without seconds after a date: "15:04",
// "15:04Z".
func matchMinutes(text string) int {
	const shape = "dd:dd"
	if !hasShape(text, shape, 'd', isDigit) {
		return 0
	}
	n := len(shape) + matchZone(text[len(shape):])
	if !endsWord(text, n) {
		return 0
	}
	return n
}

// matchCalendar recognizes a date with names and a time of day: "Mon, 02 Jan 2006 15:04:05
// GMT", "Mon Jan  2 15:04:05 MST 2006", "Jan  2 15:04:05", "02/Jan/2006:15:04:05
// -0700", "02 Jan 06 15:04 MST".
func matchCalendar(text string, _ byte) (int, string) {
	if len(text) < len("Jan 2 15:04") {
		return 0, ""
	}
	if !isDigit(text[0]) && strings.IndexByte("JFMASONDTW", text[0]) < 0 {
		return 0, ""
	}
	text = text[:min(len(text), 64)]
	n := matchWeekday(text)
	n += matchBlanks(text[n:])
	if month := monthAt(text[n:]); month > 0 {
		n += month
		n += matchBlanks(text[n:])
		day := matchDigits(text[n:])
		if day == 0 || day > 2 {
			return 0, ""
		}
		n += day
	} else {
		day := matchDigits(text[n:])
		if day == 0 || day > 2 || n+day >= len(text) || strings.IndexByte(" -/", text[n+day]) < 0 {
			return 0, ""
		}
		n += day + 1
		month := monthAt(text[n:])
		if month == 0 {
			return 0, ""
		}
		n += month
	}
	// The year precedes or follows the time of day.
	if n < len(text) && strings.IndexByte(" -/,", text[n]) >= 0 {
		if year := 1 + matchDigits(text[n+1:]); n+year < len(text) && (year == 5 || year == 3 && text[n+year] != ':') {
			n += year
		}
	}
	if n >= len(text) || text[n] != ' ' && text[n] != ':' {
		return 0, ""
	}
	at := n + 1
	n, _ = matchClock(text[at:], 0)
	if n == 0 {
		n = matchMinutes(text[at:])
	}
	if n == 0 {
		return 0, ""
	}
	n += at
	if name := matchBlanks(text[n:]); name > 0 {
		if w := matchRun(text[n+name:], func(c byte) bool { return c >= 'A' && c <= 'Z' }); w >= 3 && w <= 5 && endsWord(text, n+name+w) {
			n += name + w
		}
	}
	if hasShape(text[n:], " dddd", 'd', isDigit) && endsWord(text, n+5) {
		n += 5
	}
	return n, "<time>"
}

func matchBlanks(text string) int { return matchRun(text, func(c byte) bool { return c == ' ' }) }

// matchWeekday returns the length of "Mon", "Monday," or nothing.
func matchWeekday(text string) int {
	if len(text) < 5 {
		return 0
	}
	switch text[:3] {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
	default:
		return 0
	}
	n := matchRun(text, isLetter)
	if n > len("Wednesday") || n > 3 && !strings.HasSuffix(text[:n], "day") || n == len(text) || text[n] != ' ' && text[n] != ',' {
		return 0
	}
	if text[n] == ',' {
		n++
	}
	return n
}

// monthAt returns the length of "Jan".
func monthAt(text string) int {
	if len(text) < 4 || isLetter(text[3]) {
		return 0
	}
	switch text[:3] {
	case "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec":
		return 3
	}
	return 0
}

// matchFraction returns the length of a fraction of a second: ".999", ",999".
func matchFraction(text string) int {
	if text == "" || text[0] != '.' && text[0] != ',' {
		return 0
	}
	if n := matchDigits(text[1:]); n > 0 {
		return 1 + n
	}
	return 0
}

// matchClock recognizes a time of day with seconds: "15:04:05.999Z", "15:04:05 +0000 UTC
// m=+0.003"; or with half of the day: "3:04PM".
func matchClock(text string, _ byte) (int, string) {
	const shape = "dd:dd:dd"
	if !hasShape(text, shape, 'd', isDigit) {
		return matchKitchen(text)
	}
	n := len(shape) + matchFraction(text[len(shape):])
	n += matchZone(text[n:])
	n += matchMonotonic(text[n:])
	if !endsWord(text, n) {
		return 0, ""
	}
	return n, "<time>"
}

// matchKitchen recognizes "3:04PM", "03:04:05 AM".
func matchKitchen(text string) (int, string) {
	n := matchDigits(text[:min(len(text), 3)])
	if n == 0 || n > 2 || !hasShape(text[n:], ":dd", 'd', isDigit) {
		return 0, ""
	}
	n += 3
	if hasShape(text[n:], ":dd", 'd', isDigit) {
		n += 3
	}
	if n < len(text) && text[n] == ' ' {
		n++
	}
	if len(text) < n+2 || text[n]|0x20 != 'a' && text[n]|0x20 != 'p' || text[n+1]|0x20 != 'm' || !endsWord(text, n+2) {
		return 0, ""
	}
	return n + 2, "<time>"
}

// matchZone returns the length of "Z", "+02:00", " +0200 CEST".
func matchZone(text string) int {
	if strings.HasPrefix(text, "Z") {
		return 1
	}
	n := matchRun(text[:min(len(text), 1)], func(c byte) bool { return c == ' ' })
	rest := text[n:]
	switch {
	case hasShape(rest, "+dd:dd", 'd', isDigit), hasShape(rest, "-dd:dd", 'd', isDigit):
		return n + len("+dd:dd")
	case hasShape(rest, "+dddd", 'd', isDigit), hasShape(rest, "-dddd", 'd', isDigit):
		n += len("+dddd")
	default:
		return 0
	}
	// A zone's name, or its offset once more.
	if name := text[n:min(len(text), n+6)]; strings.HasPrefix(name, " ") {
		if w := matchRun(name[1:], func(c byte) bool { return c >= 'A' && c <= 'Z' || c == '+' || c == '-' || isDigit(c) }); w >= 3 {
			n += 1 + w
		}
	}
	return n
}

// matchMonotonic returns the length of a monotonic clock reading, " m=+0.003".
func matchMonotonic(text string) int {
	const before = " m=+"
	if !strings.HasPrefix(text, before) && !strings.HasPrefix(text, " m=-") {
		return 0
	}
	if n := matchNumber(text[len(before):]); n > 0 {
		return len(before) + n
	}
	return 0
}
