package testjson

// Event is one line of the stream. Its slices alias the line or the [Scanner]'s scratch
// space, so they are valid only until the next call of Scan.
type Event struct {
	Action  Action
	Package []byte
	Test    []byte
	// Elapsed is in seconds.
	Elapsed float64
	// Output is still escaped as in JSON; see [AppendUnescaped].
	Output     []byte
	OutputType OutputType
	// ImportPath is what a build-output or build-fail event is about.
	ImportPath  []byte
	FailedBuild []byte
	// Key and Value belong to attr events, and Path to artifacts events.
	Key, Value, Path []byte
}

// Action says what happened.
type Action uint8

// The actions of test2json and cmd/go. ActionOther is any other word.
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

// OutputType is the type of a piece of output, given since Go 1.27.
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
