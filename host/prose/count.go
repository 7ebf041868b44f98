package prose

import (
	"fmt"
	"strings"
)

// Listed names the first items, and says how many of total are left.
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
