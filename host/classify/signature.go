package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Lengths of the parts of a signature in hexadecimal digits: 64 bits suffice for all
// failures that a record can hold.
const (
	causeLength = 16
	placeLength = 8
)

// generation separates the parts of a signature. It changes whenever normalization
// does.
const generation = '3'

// Sign sets the signatures of a failure: see [Signature]. portable replaces paths that another
// machine has elsewhere, such as the workspace's.
func Sign(f *api.Failure, portable func(string) string) {
	f.Signature, f.AlsoSignature = sign(*f, portable), signAlso(*f, portable)
}

// Signature identifies the cause of a failure, across runs, tests and machines. It combines the
// failure's kind, its message without what differs from run to run, and the first frame
// in the project's code, or the file. The message includes compared values, even if the
// runner reported them separately. The place also stands on its own: see [Compare]. If
// random input caused the failure, the numbers in its message do not count: they would
// differ next time. A failure without a message cannot share its cause: its signature
// includes the test.
func Signature(f api.Failure) string {
	if IsCurrent(f.Signature) {
		return f.Signature
	}
	return sign(f, asIs)
}

// AlsoSignature identifies what a test reported besides a failure; empty if nothing.
func AlsoSignature(f api.Failure) string {
	if len(f.AlsoSignature) == causeLength && isHexText(f.AlsoSignature) {
		return f.AlsoSignature
	}
	return signAlso(f, asIs)
}

func asIs(text string) string { return text }

func sign(f api.Failure, portable func(string) string) string {
	n := normalizer{text: clip(portable(describeFailure(f))), values: hasRandomInput(f)}
	place := topFrame(f)
	message := n.whole()
	text := make([]byte, 0, len(f.Kind)+len(message)+len(place)+2)
	text = append(append(text, f.Kind...), 0)
	text = append(append(text, message...), 0)
	text = append(text, place...)
	if message == "" || strings.Contains(f.Attributes[sdk.TruncatedAttribute], sdk.NoMessage) {
		text = append(append(text, 0), f.Suite...)
		text = append(append(text, 0), f.Test...)
	}
	cause, at := sha256.Sum256(text), sha256.Sum256([]byte(place))
	var name [causeLength + 1 + placeLength]byte
	hex.Encode(name[:causeLength], cause[:causeLength/2])
	name[causeLength] = generation
	hex.Encode(name[causeLength+1:], at[:placeLength/2])
	return string(name[:])
}

func signAlso(f api.Failure, portable func(string) string) string {
	if len(f.Also) == 0 {
		return ""
	}
	h := sha256.New()
	for _, also := range f.Also {
		one := api.Failure{Failure: sdk.Failure{TestID: f.TestID, Kind: f.Kind, Location: also.Location, Message: also.Message, Attributes: f.Attributes}}
		h.Write([]byte(sign(one, portable) + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:causeLength/2])
}

// IsWhole reports whether a signature includes all that the failure says.
func IsWhole(f api.Failure) bool { return len(describeFailure(f)) <= longestMessage }

// describeFailure returns what a failure says, including what was compared.
func describeFailure(f api.Failure) string {
	d := f.Diff
	switch {
	case d.IsZero():
		return f.Message
	case d.Text != "":
		return f.Message + "\n" + d.Text
	case api.ContainsWord(f.Message, d.Got) && api.ContainsWord(f.Message, d.Want):
		return f.Message
	}
	text := f.Message
	if d.Got != "" {
		text += "\ngot: " + d.Got
	}
	if d.Want != "" {
		text += "\nwant: " + d.Want
	}
	return text
}

// IsCurrent reports whether a signature is of the present generation.
func IsCurrent(signature string) bool {
	_, ok := placeIn(signature)
	return ok
}

// placeIn returns the place in a signature.
func placeIn(signature string) (place string, ok bool) {
	if len(signature) != causeLength+1+placeLength || signature[causeLength] != generation ||
		!isHexText(signature[:causeLength]) || !isHexText(signature[causeLength+1:]) {
		return "", false
	}
	return signature[causeLength+1:], true
}

// isHexText reports whether a text, perhaps of a file from elsewhere, is hexadecimal as we write it.
func isHexText(text string) bool { return matchRun(text, isHex) == len(text) }

// hasRandomInput reports whether the failure's input was random, in which case the plugin
// puts it among the attributes.
func hasRandomInput(f api.Failure) bool {
	return f.Attributes["counterexample"] != "" || f.Attributes["sequence"] != ""
}

// topFrame returns the first place in the project's code, without its line, which moves
// with every edit. It ignores a place found only by running the test once more, since
// another run may not have looked for it, and returns the place in the test instead.
func topFrame(f api.Failure) string {
	if f.Precision != sdk.PrecisionExact {
		for _, s := range f.Stack {
			if s.Function != "" && !isOutside(s.File) {
				return normalize(s.Function)
			}
		}
	} else if f.TestFrame.File != "" {
		return normalize(f.TestFrame.File)
	}
	if f.File == "" && f.TestFrame.File != "" {
		return normalize(f.TestFrame.File)
	}
	return normalize(f.File)
}

// isOutside reports whether a file lies outside the workspace: the record keeps files
// inside as relative paths.
func isOutside(file string) bool {
	return strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\`) || len(file) > 1 && file[1] == ':'
}

// Causes groups failures with the same signature, two or more each, in order of first
// appearance. totals counts all failures of the run by signature if failures is only a
// part; signatures missing from it occur as often as in failures.
func Causes(failures []api.Failure, totals map[string]int) []api.Cause {
	var order []string
	ids := map[string][]string{}
	for _, f := range failures {
		signature := Signature(f)
		if ids[signature] == nil {
			order = append(order, signature)
		}
		ids[signature] = append(ids[signature], f.ID)
	}
	var causes []api.Cause
	for _, signature := range order {
		group := ids[signature]
		if total := max(len(group), totals[signature]); total > 1 {
			causes = append(causes, api.Cause{Signature: signature, Total: total, Failures: group})
		}
	}
	return causes
}
