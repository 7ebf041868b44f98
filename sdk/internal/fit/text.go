package fit

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sizes in bytes. Together they keep a message well below 4 MiB.
const (
	// MaxName is far longer than any path that a file system allows, and any test name
	// that a person would write.
	MaxName = 8 << 10
	// MaxText is some screens full; longer messages are dumps.
	MaxText = 64 << 10
	// MaxOutput is what a reader may still search through.
	MaxOutput = 256 << 10
	// MaxSample is enough to show what kind of text could not be read.
	MaxSample = 4 << 10
	// MaxRunning is what fits on a terminal.
	MaxRunning = 16
)

// TruncationMark ends every truncated text.
const TruncationMark = "[TRUNCATED]"

// Text returns s as valid UTF-8 of at most limit bytes. It does not copy a text that
// needs no change.
func Text(s string, limit int) string {
	s, _ = Cut(s, limit)
	return s
}

// Cut is like Text, and reports whether something was dropped.
func Cut(s string, limit int) (text string, cut bool) {
	if len(s) <= limit {
		if text = repair(s); len(text) <= limit {
			return text, false
		}
	}
	const mark = "\n" + TruncationMark
	s = repair(s[:runeStart(s, limit)]) // examines at most limit bytes
	return s[:runeStart(s, limit-len(mark))] + mark, true
}

// runeStart returns the start of the rune that contains byte i of s.
func runeStart(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for back := i; back > i-utf8.UTFMax && back >= 0; back-- {
		if utf8.RuneStart(s[back]) {
			return back
		}
	}
	return i // not UTF-8; any place will do
}

// Name returns s as a valid name of at most MaxName bytes. Different long names
// stay different.
func Name(s string) string {
	if len(s) <= MaxName {
		if s = repair(s); len(s) <= MaxName {
			return s
		}
	}
	sum := sha256.Sum256([]byte(s))
	mark := "…" + TruncationMark + hex.EncodeToString(sum[:8])
	return strings.TrimSuffix(Text(s, MaxName-len(mark)), "\n"+TruncationMark) + mark
}

// Names repairs and bounds each of names.
func Names(names []string) []string {
	return mapTexts(names, Name)
}

// Texts repairs and bounds each of texts.
func Texts(texts []string) []string {
	return mapTexts(texts, func(s string) string { return Text(s, MaxText) })
}

// Arg repairs an argument. It does not truncate it: half an argument is a different
// argument.
func Arg(arg string) string { return repair(arg) }

// Args repairs each of args.
func Args(args []string) []string {
	return mapTexts(args, repair)
}

// Env repairs the keys and values of env.
func Env(env map[string]string) map[string]string {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(env)), isInvalid) &&
		!slices.ContainsFunc(slices.Collect(maps.Values(env)), isInvalid) {
		return env
	}
	fixed := make(map[string]string, len(env))
	for _, key := range slices.Sorted(maps.Keys(env)) {
		fixed[repair(key)] = repair(env[key])
	}
	return fixed
}

func repair(s string) string {
	if utf8.ValidString(s) { // nearly always, and faster to check than to repair
		return s
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}

func isInvalid(s string) bool { return !utf8.ValidString(s) }

// mapTexts applies fix, and copies only if something changes.
func mapTexts(texts []string, fix func(string) string) []string {
	out := texts
	for i, text := range texts {
		fixed := fix(text)
		if fixed == text {
			continue
		}
		if &out[0] == &texts[0] {
			out = slices.Clone(texts)
		}
		out[i] = fixed
	}
	return out
}
