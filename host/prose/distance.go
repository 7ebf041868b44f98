package prose

import "strings"

// Distance returns how many characters must be inserted, deleted or replaced to turn
// one word into the other, whatever their case. Anything above most is treated alike.
func Distance(a, b string, most int) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner, least := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > most {
			return most + 1
		}
	}
	return row[len(b)]
}
