// Package prose holds the building blocks of messages: text made safe for a terminal,
// words quoted for a shell, durations, counts, test names.
package prose
