package classify

import "strings"

// unit returns the length of a unit of time right after a number.
func unit(text string) int {
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

// duration recognizes an elapsed time: "0.53s", "1m2.5s", "300 ms".
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

// number returns the length of a decimal number, with or without a fraction.
func number(text string) int {
	n := digits(text)
	if n > 0 && n+1 < len(text) && text[n] == '.' {
		if f := digits(text[n+1:]); f > 0 {
			return n + 1 + f
		}
	}
	return n
}

// timestamp recognizes a date with a time of day: "2006-01-02T15:04:05.999Z",
// "01/02/2006 15:04:05", "20060102T150405Z".
func timestamp(text string, _ byte) (int, string) {
	if len(text) < len("20060102T150405") {
		return 0, ""
	}
	if !isDigit(text[0]) || !isDigit(text[1]) {
		return 0, ""
	}
	day := len("dddd-dd-dd")
	switch {
	case shaped(text, "dddddddd", 'd', isDigit):
		const compact = "dddddddd-dddddd"
		if !shaped(text, compact, 'd', isDigit) && !shaped(text, "ddddddddTdddddd", 'd', isDigit) {
			return 0, ""
		}
		n := len(compact)
		n += fraction(text[n:])
		if n += zone(text[n:]); !ends(text, n) {
			return 0, ""
		}
		return n, "<time>"
	case shaped(text, "dddd-dd-dd", 'd', isDigit), shaped(text, "dddd/dd/dd", 'd', isDigit), shaped(text, "dd/dd/dddd", 'd', isDigit):
	default:
		return 0, ""
	}
	rest := text[day:]
	if rest == "" || rest[0] != 'T' && rest[0] != ' ' && rest[0] != '_' {
		return 0, ""
	}
	n, _ := clock(rest[1:], 0)
	if n == 0 {
		n = minutes(rest[1:])
	}
	if n == 0 {
		return 0, ""
	}
	return day + 1 + n, "<time>"
}

// logLine recognizes the start of some programs' log lines: "I0102 15:04:05.000000".
func logLine(text string, size int) (int, string) {
	if size != len("I0102") || strings.IndexByte("IWEF", text[0]) < 0 || !shaped(text[1:], "dddd dd:dd:dd.", 'd', isDigit) {
		return 0, ""
	}
	n, _ := clock(text[size+1:], 0)
	return size + 1 + n, "<time>"
}

// minutes returns the length of a time of day without seconds after a date: "15:04",
// "15:04Z".
func minutes(text string) int {
	const shape = "dd:dd"
	if !shaped(text, shape, 'd', isDigit) {
		return 0
	}
	n := len(shape) + zone(text[len(shape):])
	if !ends(text, n) {
		return 0
	}
	return n
}

// calendar recognizes a date with names and a time of day: "Mon, 02 Jan 2006 15:04:05
// GMT", "Mon Jan  2 15:04:05 MST 2006", "Jan  2 15:04:05", "02/Jan/2006:15:04:05
// -0700", "02 Jan 06 15:04 MST".
func calendar(text string, _ byte) (int, string) {
	if len(text) < len("Jan 2 15:04") {
		return 0, ""
	}
	if !isDigit(text[0]) && strings.IndexByte("JFMASONDTW", text[0]) < 0 {
		return 0, ""
	}
	text = text[:min(len(text), 64)]
	n := weekday(text)
	n += blanks(text[n:])
	if month := monthAt(text[n:]); month > 0 {
		n += month
		n += blanks(text[n:])
		day := digits(text[n:])
		if day == 0 || day > 2 {
			return 0, ""
		}
		n += day
	} else {
		day := digits(text[n:])
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
		if year := 1 + digits(text[n+1:]); n+year < len(text) && (year == 5 || year == 3 && text[n+year] != ':') {
			n += year
		}
	}
	if n >= len(text) || text[n] != ' ' && text[n] != ':' {
		return 0, ""
	}
	at := n + 1
	n, _ = clock(text[at:], 0)
	if n == 0 {
		n = minutes(text[at:])
	}
	if n == 0 {
		return 0, ""
	}
	n += at
	if name := blanks(text[n:]); name > 0 {
		if w := run(text[n+name:], func(c byte) bool { return c >= 'A' && c <= 'Z' }); w >= 3 && w <= 5 && ends(text, n+name+w) {
			n += name + w
		}
	}
	if shaped(text[n:], " dddd", 'd', isDigit) && ends(text, n+5) {
		n += 5
	}
	return n, "<time>"
}

func blanks(text string) int { return run(text, func(c byte) bool { return c == ' ' }) }

// weekday returns the length of "Mon", "Monday," or nothing.
func weekday(text string) int {
	if len(text) < 5 {
		return 0
	}
	switch text[:3] {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
	default:
		return 0
	}
	n := run(text, isLetter)
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

// fraction returns the length of a fraction of a second: ".999", ",999".
func fraction(text string) int {
	if text == "" || text[0] != '.' && text[0] != ',' {
		return 0
	}
	if n := digits(text[1:]); n > 0 {
		return 1 + n
	}
	return 0
}

// clock recognizes a time of day with seconds: "15:04:05.999Z", "15:04:05 +0000 UTC
// m=+0.003"; or with half of the day: "3:04PM".
func clock(text string, _ byte) (int, string) {
	const shape = "dd:dd:dd"
	if !shaped(text, shape, 'd', isDigit) {
		return kitchen(text)
	}
	n := len(shape) + fraction(text[len(shape):])
	n += zone(text[n:])
	n += monotonic(text[n:])
	if !ends(text, n) {
		return 0, ""
	}
	return n, "<time>"
}

// kitchen recognizes "3:04PM", "03:04:05 AM".
func kitchen(text string) (int, string) {
	n := digits(text[:min(len(text), 3)])
	if n == 0 || n > 2 || !shaped(text[n:], ":dd", 'd', isDigit) {
		return 0, ""
	}
	n += 3
	if shaped(text[n:], ":dd", 'd', isDigit) {
		n += 3
	}
	if n < len(text) && text[n] == ' ' {
		n++
	}
	if len(text) < n+2 || text[n]|0x20 != 'a' && text[n]|0x20 != 'p' || text[n+1]|0x20 != 'm' || !ends(text, n+2) {
		return 0, ""
	}
	return n + 2, "<time>"
}

// zone returns the length of "Z", "+02:00", " +0200 CEST".
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
	// A zone's name, or its offset once more.
	if name := text[n:min(len(text), n+6)]; strings.HasPrefix(name, " ") {
		if w := run(name[1:], func(c byte) bool { return c >= 'A' && c <= 'Z' || c == '+' || c == '-' || isDigit(c) }); w >= 3 {
			n += 1 + w
		}
	}
	return n
}

// monotonic returns the length of a monotonic clock reading, " m=+0.003".
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
