package config

import "strings"

// meant suggests the known name nearest to an unknown one, or lists them all.
func meant(name string, known []string) string {
	best, least := "", maxSlips+1
	for _, k := range known {
		if n := slips(name, k); n < least && n < len(k)-1 {
			best, least = k, n
		}
	}
	if best != "" {
		return "did you mean `" + best + "`?"
	}
	return "known: " + strings.Join(known, ", ")
}

// maxSlips is how many typos are forgiven, maxWord the longest word in which they are
// counted.
const (
	maxSlips = 2
	maxWord  = 32
)

// slips counts the letters to add, remove or replace to turn one word into the other,
// ignoring case.
func slips(a, b string) int {
	if len(a) > maxWord {
		return len(a)
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			same := diagonal
			if a[i] != b[j] {
				same++
			}
			diagonal = row[j+1]
			row[j+1] = min(same, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
