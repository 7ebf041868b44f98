package testjson

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// units are those of jiff's friendly format, and of humantime, which older versions
// use.
var units = map[string]time.Duration{
	"ns": time.Nanosecond, "nsec": time.Nanosecond, "nsecs": time.Nanosecond,
	"µs": time.Microsecond, "μs": time.Microsecond, "us": time.Microsecond, "usec": time.Microsecond, "usecs": time.Microsecond,
	"ms": time.Millisecond, "msec": time.Millisecond, "msecs": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// decodeDuration parses a duration of any version. An invalid one becomes zero, since it is
// no reason to doubt the result.
func decodeDuration(raw []byte) time.Duration {
	if len(raw) == 0 {
		return 0
	}
	switch raw[0] {
	case '"':
		return parseFriendly(decodeString(raw))
	case '{':
		var d struct{ Secs, Nanos float64 }
		if json.Unmarshal(raw, &d) != nil {
			return 0
		}
		return toDuration(d.Secs*float64(time.Second) + d.Nanos)
	}
	return 0
}

// parseFriendly parses "2s 592ms 193µs 678ns".
func parseFriendly(s string) time.Duration {
	var sum float64
	for rest := strings.TrimLeft(s, " ,"); rest != ""; rest = strings.TrimLeft(rest, " ,") {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		n, err := strconv.ParseFloat(rest[:digits], 64)
		if err != nil {
			return 0
		}
		word := strings.TrimLeft(rest[digits:], " ")
		end := strings.IndexAny(word, " ,0123456789")
		if end < 0 {
			end = len(word)
		}
		unit, known := units[word[:end]]
		if !known {
			return 0
		}
		sum += n * float64(unit)
		rest = word[end:]
	}
	return toDuration(sum)
}

func toDuration(nanos float64) time.Duration {
	if !(nanos > 0) || nanos > math.MaxInt64/2 {
		return 0
	}
	return time.Duration(nanos)
}
