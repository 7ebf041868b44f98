package testjson

// Event is one line of the stream. Its slices alias the line or the
// [Scanner]'s scratch space: they are valid until the next call of Scan.
type Event struct {
	Action  Action
	Package []byte
	Test    []byte
	// Elapsed is in seconds.
	Elapsed float64
	// Output is still escaped as in the JSON text; see [AppendUnescaped].
	Output     []byte
	OutputType OutputType
	// ImportPath names what build-output and build-fail are about.
	ImportPath  []byte
	FailedBuild []byte
	// Key and Value are those of attr, Path is that of artifacts.
	Key, Value, Path []byte
}

// Action is the word that says what happened.
type Action uint8

// The actions of test2json and cmd/go. ActionOther stands for words this
// package does not know.
const (
	ActionNone Action = iota // the object has no Action: not an event
	ActionStart
	ActionRun
	ActionPause
	ActionCont
	ActionPass
	ActionBench
	ActionFail
	ActionSkip
	ActionOutput
	ActionBuildOutput
	ActionBuildFail
	ActionAttr
	ActionArtifacts
	ActionOther
)

// OutputType tells, since Go 1.27, what a piece of output is.
type OutputType uint8

// The output types of test2json.
const (
	OutputPlain         OutputType = iota
	OutputError                    // first line of an error
	OutputErrorContinue            // further lines of an error
	OutputFrame                    // framing by package testing, such as "=== RUN"
	OutputOther
)

func actionOf(word []byte) Action {
	switch string(word) {
	case "":
		return ActionNone
	case "output":
		return ActionOutput
	case "run":
		return ActionRun
	case "pass":
		return ActionPass
	case "fail":
		return ActionFail
	case "skip":
		return ActionSkip
	case "pause":
		return ActionPause
	case "cont":
		return ActionCont
	case "start":
		return ActionStart
	case "bench":
		return ActionBench
	case "build-output":
		return ActionBuildOutput
	case "build-fail":
		return ActionBuildFail
	case "attr":
		return ActionAttr
	case "artifacts":
		return ActionArtifacts
	}
	return ActionOther
}

func outputTypeOf(word []byte) OutputType {
	switch string(word) {
	case "":
		return OutputPlain
	case "error":
		return OutputError
	case "error-continue":
		return OutputErrorContinue
	case "frame":
		return OutputFrame
	}
	return OutputOther
}
