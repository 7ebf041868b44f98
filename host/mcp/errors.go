package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/limits"
	"github.com/proctorhq/proctor/host/prose"
)

// The code of an error that blames the arguments; the specification fixes it.
const codeInvalidRequest = "INVALID_REQUEST"

// noProject is the specified sentence for a workspace without a project.
const noProject = "no supported project detected in workspace root"

// failure returns the answer of a call that could not do what was requested.
func failure(err error) answer {
	var (
		none      *api.NoRunError
		usage     *api.UsageError
		arguments *arguments.Error
		project   *api.NoProjectError
		placeless *noPlaceError
		unknown   *api.UnknownRunError
		noTest    *api.NoTestError
		language  *api.LanguageError
		directory *api.DirectoryError
		several   *api.LanguagesError
		refused   *api.NotTakenError
		boxless   *api.UploadUnavailableError
	)
	message, more := errorSentence(err), ""
	invalid := true
	switch {
	case errors.As(err, &none):
		return noRun(none)
	case errors.As(err, &project):
		message, more = noProject, message
	case errors.As(err, &arguments), errors.As(err, &usage), errors.As(err, &unknown), errors.As(err, &noTest),
		errors.As(err, &language), errors.As(err, &directory), errors.As(err, &several), errors.As(err, &refused):
	case errors.As(err, &boxless):
		message, more, invalid = boxless.Error(), limits.Advice(boxless.Advise()), false
	case errors.Is(err, context.Canceled):
		message, invalid = "the call was cancelled", false
	default:
		invalid = false
	}
	var detailed interface{ Detail() string }
	var coded interface{ Code() string }
	var words string // of a runner that rejected the request
	if usage != nil {
		if first, rest, several := strings.Cut(err.Error(), "\n"); several {
			message, words = first, rest
		}
	}
	message, more = errorText(message), errorText(more)
	switch {
	case words != "":
		more = indentLines(words)
	case errors.As(err, &coded) && errors.As(err, &detailed):
		more = limits.Cut(detailed.Detail(), maxErrorBytes, prose.Plain) // each line of it is ours
	case errors.As(err, &detailed):
		more = errorDetail(detailed.Detail())
	case errors.As(err, &placeless):
		more = limits.Cut(placeless.Error(), maxErrorBytes, prose.Plain) // each line of it is ours
	}
	n := notice{Message: message, More: more}
	if invalid {
		retry := false
		n.Code, n.Retry = codeInvalidRequest, &retry
	}
	if coded != nil {
		n.Code = coded.Code()
	}
	a := answer{text: []string{message}, object: n, failed: true}
	if more != "" {
		a.text = append(a.text, more)
	}
	return a
}

// maxErrorBytes bounds each part of an error, which may repeat the request.
const maxErrorBytes = 4 << 10

// errorSentence returns an error with its advice, in the words of the tools.
func errorSentence(err error) string {
	text := err.Error()
	var refused *api.NotTakenError
	if errors.As(err, &refused) {
		text = refused.Text(parameterOf)
	}
	return errorText(api.AppendAdvice(text, api.AdviceOf(err), limits.Advice))
}

// parameterOf returns the tools' parameter for a flag of a runner.
func parameterOf(name string) string {
	if name == "--evm-version" {
		return "evm_version"
	}
	return name
}

// errorText returns a part of an error on one line: a directory or file name in it may
// contain newlines.
func errorText(text string) string { return limits.Cut(text, maxErrorBytes, prose.Line) }

// errorDetail returns a program's own message, each line indented below ours.
func errorDetail(text string) string {
	text = strings.TrimRight(limits.Cut(text, maxErrorBytes, prose.Plain), "\n")
	if text == "" {
		return ""
	}
	return "its last output:\n" + indentLines(text)
}

// indentLines indents each line of a program's message below ours.
func indentLines(text string) string {
	const beside = "    "
	return beside + strings.ReplaceAll(strings.TrimRight(limits.Cut(text, maxErrorBytes, prose.Plain), "\n"), "\n", "\n"+beside)
}

// noRun is the answer if the session has no run, which is not an error.
func noRun(none *api.NoRunError) answer {
	more := ""
	if none.Running != "" {
		more = "run " + prose.Line(none.Running) + " is still running: get_run shows it"
	}
	if none.Earlier != nil {
		if more != "" {
			more += "\n"
		}
		more += prose.Line(none.Earlier.String())
		if id := none.Earlier.RunID; id != "" {
			more += "; last_test_failures{\"run_id\":\"" + id + "\"} shows them, run_failing_tests{\"run_id\":\"" + id + "\"} runs them"
		}
	}
	return newSentenceAnswer(noRunYet, more)
}
