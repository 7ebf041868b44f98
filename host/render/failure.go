package render

import (
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

// What each rendering of a failure is made of: an [Ending] is for people, an [Account] for
// pages, a [Summary] and a [Listing] for agents, who know their words. The parts are the
// same in all of them; only their order and what is around them differ.

// failurePlace returns where a failure happened, and from where the test got there; empty
// if unknown.
func failurePlace(f api.Failure, paint func(string) string) string {
	if f.File == "" {
		return ""
	}
	at := paint(prose.Line(concise.Place(f.File, f.Line)))
	from := ", from "
	for _, c := range append(concise.Callers(f), sdk.Frame{Location: f.TestFrame}) {
		if c.File != "" {
			at += from + paint(prose.Line(concise.Place(c.File, c.Line)))
			from = ", "
		}
	}
	return at + remark(f)
}

func unpainted(text string) string { return text }

// failureDetails returns what is known of a failure beside its message and what was
// compared; a text may have several lines. way says how to see what is omitted.
func failureDetails(f api.Failure, style Style, way string) []string {
	var texts []string
	if f.BlockedOn != "" {
		texts = append(texts, "blocked on: "+prose.Line(f.BlockedOn))
	}
	texts = append(texts, concise.AlsoLines(f)...)
	for _, key := range slices.Sorted(maps.Keys(f.Attributes)) {
		value := f.Attributes[key]
		if value == "" || strings.HasPrefix(key, "proctor.") || key == "counterexample" && strings.Contains(f.Message, value) {
			continue // the protocol's own, or an input that the message tells
		}
		if !style.Verbose {
			value = concise.Narrow(concise.Shorten(value, concise.Lines, way))
		}
		separator := " "
		if strings.Contains(value, "\n") {
			separator = "\n"
		}
		texts = append(texts, prose.Plain(key+":"+separator+value))
	}
	return texts
}

// maxBlocked is how many suites kept from running by a build failure are named.
const maxBlocked = 10

// blockedSuites names the suites that a build failure keeps from running; empty if there
// are none.
func blockedSuites(f api.Failure, style Style, suite func(string) string) string {
	most, hint := maxBlocked, ""
	if style.Verbose {
		most = len(f.Blocks)
	}
	if len(f.Blocks) > most {
		hint = "; " + style.more("-v names them")
	}
	names := slices.Sorted(slices.Values(f.Blocks)) // they come in the order in which builds end
	return prose.Listed(names, len(names), most, suite) + hint
}

// remark says if a failure's place is only that of the test's declaration.
func remark(f api.Failure) string {
	if f.Precision.IsDeclaration() {
		return " (where the test is declared)"
	}
	return ""
}
