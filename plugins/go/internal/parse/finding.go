package parse

import "github.com/proctorhq/proctor/sdk"

// finding is what a text says about a failure, before anybody is blamed.
type finding struct {
	kind      string
	location  sdk.Location
	testFrame sdk.Location
	// precision tells how well location is known.
	precision sdk.Precision
	message   string
	diff      sdk.Diff
	also      []sdk.Also
	stack     []sdk.Frame
	// lines and anchor give the excerpt: the text and the place in it.
	lines      []line
	anchor     int
	attributes map[string]string
	// derivedFrom are tests under whose name the text stands.
	derivedFrom []sdk.TestID
	// repro is the test to run instead of the blamed one.
	repro string
	// own: the text shows a failure of this test itself. Without it the test
	// failed silently, or because of a subtest.
	own bool
	// victim: only told of what another test did.
	victim bool
	// unread: the source that reports whether the messages are errors is missing.
	unread bool
	// goexit: it ended a test around it.
	goexit bool
}

// set adds an attribute.
func (f *finding) set(name, value string) {
	if f.attributes == nil {
		f.attributes = map[string]string{}
	}
	f.attributes[name] = value
}

// maxAlso is how many further messages of one failure are kept.
const maxAlso = 32

// reporter tells the sink of results and failures.
type reporter struct {
	sink sdk.Sink
	tree *tree
	// selection is what the command selects.
	selection selection
	flags     flags
	// dir is where the command ran, as the workspace sees it.
	dir    string
	counts counts
	// explained: a failure was reported.
	explained bool
}

// failure makes the record.
func (r *reporter) failure(id sdk.TestID, f finding) sdk.Failure {
	if f.location.File == "" {
		f.location = r.tree.declaredIn(id)
	}
	if f.location.File == "" {
		f.precision = ""
	}
	if f.testFrame == f.location {
		f.testFrame = sdk.Location{}
	}
	if len(f.also) > maxAlso {
		f.also = f.also[:maxAlso]
	}
	for i := range f.also {
		f.also[i].Message = clip(f.also[i].Message, maxMessage/4)
	}
	output, truncated := excerpt(f.lines, f.anchor)
	f.diff.Got, f.diff.Want, f.diff.Text = clip(f.diff.Got, maxDiff), clip(f.diff.Want, maxDiff), clip(f.diff.Text, maxDiff)
	return sdk.Failure{
		TestID:          id,
		Kind:            f.kind,
		Location:        f.location,
		TestFrame:       f.testFrame,
		Precision:       f.precision,
		Message:         clip(dense(f.message), maxMessage),
		Diff:            f.diff,
		Also:            f.also,
		Output:          output,
		OutputTruncated: truncated,
		Stack:           f.stack,
		Attributes:      f.attributes,
		DerivedFrom:     f.derivedFrom,
		Repro:           r.reproduce(id, f),
	}
}

// report sends a failure, which explains why the run is red.
func (r *reporter) report(f sdk.Failure) {
	r.explained = true
	r.sink.Failure(f)
}
