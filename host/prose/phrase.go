package prose

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Listed names the first most items and says how many of total remain.
func Listed[T any](items []T, total, most int, name func(T) string) string {
	var names []string
	for _, item := range items[:min(len(items), most)] {
		names = append(names, name(item))
	}
	text := strings.Join(names, ", ")
	if left := total - len(names); left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}

// Duration formats an elapsed time in one whole unit: "3s", "12m", "2h", "5d".
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d/time.Hour))
	}
	return fmt.Sprintf("%dd", int(d/(24*time.Hour)))
}

// Seconds formats a number of seconds as [Duration] does.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }

// MaxQuoted is how many characters of a text [Quote] keeps.
const MaxQuoted = 60

// Quote quotes a word of the user's for a message, short and without control characters.
func Quote(text string) string {
	if runes := []rune(text); len(runes) > MaxQuoted {
		text = string(runes[:MaxQuoted]) + "..."
	}
	return strconv.Quote(text)
}

// QualifiedName is the display name of a test in the style of the seed tools. Nothing
// parses it.
func QualifiedName(suite, test string) string { return Joined(suite, "/", test) }

// Joined names a test, a suite, or the run.
func Joined(suite, separator, test string) string {
	switch {
	case suite == "" && test == "":
		return "(the run)"
	case test == "":
		return suite
	case suite == "":
		return test
	}
	return suite + separator + test
}
