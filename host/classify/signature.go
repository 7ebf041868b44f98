package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// signatureLength is how many hexadecimal digits name a cause: 64 bits, enough for
// all failures that a record can hold.
const signatureLength = 16

// Signature names the cause of a failure: equal ones have equal names, in other
// runs and other tests too. It is made of the failure's kind, its message without
// what differs from run to run, and the first frame of the project's code, or the
// file. Of a failure that values drawn at random brought about, the numbers of its
// message are no part: they would be others the next time. A failure without a message has no cause that others could share: its
// test is part of the name.
func Signature(f record.Failure) string {
	n := normaliser{text: clip(f.Message), values: drawn(f)}
	parts := []string{f.Kind, n.whole(), frame(f)}
	if parts[1] == "" {
		parts = append(parts, f.Suite, f.Test)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:signatureLength]
}

// drawn tells whether the failure's input was drawn at random: then the plugin has
// it among the attributes.
func drawn(f record.Failure) bool {
	return f.Attributes["counterexample"] != "" || f.Attributes["sequence"] != ""
}

// frame is the first place in the project's code, without its line, which moves
// with every edit. Places that were only found by running the test once more do
// not count: another run may not have looked for them. Then it is the place in
// the test.
func frame(f record.Failure) string {
	if f.Precision != record.Exact {
		for _, s := range f.Stack {
			if s.Function != "" && !outside(s.File) {
				return Normalise(s.Function)
			}
		}
	} else if f.TestFrame != nil {
		return Normalise(f.TestFrame.File)
	}
	if f.File == "" && f.TestFrame != nil {
		return Normalise(f.TestFrame.File)
	}
	return Normalise(f.File)
}

// outside: the record has files of the workspace relative to it.
func outside(file string) bool {
	return strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\`) || len(file) > 1 && file[1] == ':'
}
