package concise

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Failure returns a failure without repetition of what was compared. It keeps the values if
// they can be taken in at a glance, or else the diff that the assertion library printed,
// and drops the lines of the message that this makes redundant.
func Failure(f api.Failure) api.Failure {
	d := &f.Diff
	if d.IsZero() {
		return f
	}
	f.Message = withoutValues(f.Message, *d, d.Text != "" && (isNeedless(d.Got) || isNeedless(d.Want)))
	switch {
	case d.Text == "":
	case api.IsObvious(*d):
		d.Text = ""
	default:
		d.Got, d.Want = "", ""
	}
	return f
}

// Comparison returns the text below the message of a failure that [Failure] has made concise;
// empty if the message already says it.
func Comparison(f api.Failure) string {
	d := f.Diff
	if d.Text != "" || saysValue(f.Message, d.Got) && saysValue(f.Message, d.Want) {
		return d.Text
	}
	var lines []string
	if d.Got != "" {
		lines = append(lines, "got: "+d.Got)
	}
	if d.Want != "" {
		lines = append(lines, "want: "+d.Want)
	}
	return strings.Join(lines, "\n")
}

// SaysComparison reports whether the message of a failure says what was compared.
func SaysComparison(f api.Failure) bool { return Comparison(Failure(f)) == "" }

// shortMessage is how many lines can be read at a glance.
const shortMessage = 8

// saysValue reports whether a value occurs in the shown beginning of a message.
func saysValue(message, value string) bool {
	lines := strings.SplitN(message, "\n", shortMessage+1)
	told := strings.Join(lines[:min(len(lines), shortMessage)], "\n")
	return api.ContainsWord(told, value) || strings.Contains(value, "\n") && strings.Contains(oneSpace(told), oneSpace(value))
}

func oneSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

// withoutValues removes the lines of a message that only repeat the compared values, such
// as "got: ..." and "want: ...". With needless, which means that the values obscure the
// difference, it removes them whatever their labels are.
func withoutValues(message string, d sdk.Diff, needless bool) string {
	if d.Got == "" || d.Want == "" {
		return message
	}
	if bare, found := api.CutTexts(message, d); found {
		return bare
	}
	var kept []string
	found := map[string]bool{}
	for _, line := range strings.Split(message, "\n") {
		label, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if ok && !found[value] && (value == d.Got || value == d.Want) && (needless || isMarker(label)) {
			found[value] = true
			continue
		}
		kept = append(kept, line)
	}
	if !found[d.Got] || !found[d.Want] {
		return message
	}
	return strings.Join(kept, "\n")
}

// isNeedless reports whether a value is no help beside a difference: it is long, or an
// address.
func isNeedless(value string) bool { return len(value) > maxWidth || api.HasAddress(value) }

// isMarker reports whether a label names a compared value.
func isMarker(label string) bool {
	word := strings.ToLower(strings.TrimSpace(label))
	return word == "got" || word == "want"
}
