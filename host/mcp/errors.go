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
	if none, ok := errors.AsType[*api.NoRunError](err); ok {
		return noRun(none)
	}
	message, more := errorSentence(err), ""
	invalid := blamesRequest(err)
	boxless, isBoxless := errors.AsType[*api.UploadUnavailableError](err)
	switch {
	case isA[*api.NoProjectError](err):
		message, more = noProject, message
	case invalid:
	case isBoxless:
		message, more = boxless.Error(), limits.Advice(boxless.Advise())
	case errors.Is(err, context.Canceled):
		message = "the call was cancelled"
	}
	n := notice{Message: errorText(message), More: errorText(more)}
	if invalid {
		retry := false
		n.Code, n.Retry = codeInvalidRequest, &retry
	}
	addDetail(&n, err)
	a := answer{text: []string{n.Message}, object: n, failed: true}
	if n.More != "" {
		a.text = append(a.text, n.More)
	}
	return a
}

// blamesRequest reports whether an error is about what was requested, so that the same call
// fails again.
func blamesRequest(err error) bool {
	return isA[*arguments.Error](err) || isA[*api.UsageError](err) || isA[*api.NoProjectError](err) || isA[*api.UnknownRunError](err) ||
		isA[*api.NoTestError](err) || isA[*api.LanguageError](err) || isA[*api.DirectoryError](err) || isA[*api.LanguagesError](err) || isA[*api.NotTakenError](err)
}

func isA[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// addDetail adds the code of an error, and what it has to say besides its sentence.
func addDetail(n *notice, err error) {
	if isA[*api.UsageError](err) && !isA[*api.NoProjectError](err) && !isA[*arguments.Error](err) {
		// The words of a runner that rejected the request follow the first line.
		if first, words, several := strings.Cut(err.Error(), "\n"); several {
			n.Message = errorText(first)
			if words != "" {
				n.More = indentLines(words)
				return
			}
		}
	}
	var detailed interface{ Detail() string }
	var coded interface{ Code() string }
	isCoded, isDetailed := errors.As(err, &coded), errors.As(err, &detailed)
	placeless, isPlaceless := errors.AsType[*noPlaceError](err)
	switch {
	case isCoded && isDetailed:
		n.More = limits.Cut(detailed.Detail(), maxErrorBytes, prose.Plain) // each line of it is ours
	case isDetailed:
		n.More = errorDetail(detailed.Detail())
	case isPlaceless:
		n.More = limits.Cut(placeless.Error(), maxErrorBytes, prose.Plain) // each line of it is ours
	}
	if isCoded {
		n.Code = coded.Code()
	}
}

// maxErrorBytes bounds each part of an error, which may repeat the request.
const maxErrorBytes = 4 << 10

// errorSentence returns an error with its advice, in the words of the tools.
func errorSentence(err error) string {
	text := err.Error()
	if refused, ok := errors.AsType[*api.NotTakenError](err); ok {
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
