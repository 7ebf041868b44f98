package config

import (
	"strings"

	"github.com/proctorhq/proctor/host/prose"
)

// meant suggests the known name nearest to an unknown one, or lists them all.
func meant(name string, known []string) string {
	best, least := "", maxSlips+1
	for _, k := range known {
		if n := prose.Distance(name, k, maxSlips); n < least && n < len(k)-1 {
			best, least = k, n
		}
	}
	if best != "" {
		return "did you mean `" + best + "`?"
	}
	return "known: " + strings.Join(known, ", ")
}

// maxSlips is how many typos are forgiven.
const maxSlips = 2
