package wording

import "strings"

// Tidy removes decoration: trailing blanks, and the no-break spaces that go-cmp inserts
// at random so that nobody depends on its format.
func Tidy(lines []string) string {
	kept := make([]string, len(lines))
	for i, l := range lines {
		kept[i] = strings.TrimRight(strings.ReplaceAll(l, "\u00a0", " "), " \t\r")
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}

// Dedent removes the indentation that all lines share.
func Dedent(lines []string) []string {
	common := -1
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		blank := len(l) - len(strings.TrimLeft(l, " \t"))
		if common < 0 || blank < common {
			common = blank
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(max(common, 0), len(l)):]
	}
	return out
}
