package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// Lengths of the parts of a signature, in hexadecimal digits: 64 bits are enough for
// all failures that a record can hold.
const (
	causeLength = 16
	placeLength = 8
)

// generation stands between the parts of a signature. It is another one whenever
// messages are normalised otherwise. Signatures of the first had no place.
const generation = '3'

// Signature names the cause of a failure: equal ones have equal names, in other
// runs and other tests too. It is made of the failure's kind, its message without
// what differs from run to run, and the first frame of the project's code, or the
// file. What was compared is part of the message, also where the runner said it apart.
// The place is in it once more by itself: see [Compare]. Of a failure that
// values drawn at random brought about, the numbers of its message are no part: they
// would be others the next time. A failure without a message has no cause that others
// could share: its test is part of the name.
func Signature(f api.Failure) string {
	n := normaliser{text: clip(told(f)), values: drawn(f)}
	place := frame(f)
	message := n.whole()
	text := make([]byte, 0, len(f.Kind)+len(message)+len(place)+2)
	text = append(append(text, f.Kind...), 0)
	text = append(append(text, message...), 0)
	text = append(text, place...)
	if message == "" {
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

// told is what a failure says, with what was compared.
func told(f api.Failure) string {
	d := f.Diff
	switch {
	case d == nil:
		return f.Message
	case d.Text != "":
		return f.Message + "\n" + d.Text
	case api.Says(f.Message, d.Got) && api.Says(f.Message, d.Want):
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

// IsCurrent reports whether a signature is one that [Signature] would make now.
func IsCurrent(signature string) bool {
	_, ok := placeIn(signature)
	return ok
}

// placeIn is the place in a signature.
func placeIn(signature string) (place string, ok bool) {
	if len(signature) != causeLength+1+placeLength || signature[causeLength] != generation {
		return "", false
	}
	return signature[causeLength+1:], true
}

// drawn reports whether the failure's input was drawn at random: then the plugin has
// it among the attributes.
func drawn(f api.Failure) bool {
	return f.Attributes["counterexample"] != "" || f.Attributes["sequence"] != ""
}

// frame is the first place in the project's code, without its line, which moves
// with every edit. Places that were only found by running the test once more do
// not count: another run may not have looked for them. Then it is the place in
// the test.
func frame(f api.Failure) string {
	if f.Precision != api.Exact {
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
