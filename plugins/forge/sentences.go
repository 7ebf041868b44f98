package forge

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/solcout"
	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// sentences are what forge says, with exit code 0, if there is nothing to run.
var sentences = []string{
	noTests, "No tests match", "No tests to run", "No tests found", "Nothing to compile", "no tests match", "no tests found",
}

// noTests begins what forge says of a project without tests, and of one with sources besides its
// tests if the filters select none.
const noTests = "No tests found in project"

const (
	// maxIdle bounds the notes about them, and maxIdleText the length of each: any
	// program may print such a line.
	maxIdle     = 5
	maxIdleText = 1 << 10
)

// noteIdle notes a line in which forge says that nothing ran.
func (p *parser) noteIdle(line string) bool {
	text := strings.TrimSpace(line)
	if text == installing {
		p.idle.add("forge found submodules missing, and let git fetch them")
		return true
	}
	if p.narrowed && strings.HasPrefix(text, noTests) {
		p.idle.add("no tests match the filters")
		return true
	}
	for _, s := range sentences {
		if strings.HasPrefix(text, s) {
			p.idle.add(clip(makeVisible(text), maxIdleText))
			return true
		}
	}
	return false
}

// installing is what forge says before it lets git fetch missing submodules; its errors
// and warnings say how that ended.
const installing = "Missing dependencies found. Installing now..."

// noteStopped notes that tests without results may have run, if the command was stopped
// before it printed results.
func (p *parser) noteStopped(exit sdk.Exit) {
	if p.accepted == 0 && len(p.broken) == 0 && (exit.TimedOut || exit.Cancelled || exit.Signal != "") {
		p.sink.Note("forge prints results only when all tests have ended, so it is unknown which ran before it was stopped and which did not end; to find out, run fewer tests, such as one contract with --match-contract")
	}
}

// maxMessages bounds the notes of forge's own warnings.
const maxMessages = 50

// reportMessages reports the messages of the compiler and forge.
func (p *parser) reportMessages(exit sdk.Exit) {
	out, err := p.messages[sdk.Stdout].Report(), p.messages[sdk.Stderr].Report()
	if p.accepted > 0 && !out.Failed {
		out = solcout.Report{} // logs of tests
	}
	notes := noter{sink: p.sink, limit: maxMessages}
	defer notes.close()
	for _, w := range append(out.Warnings, err.Warnings...) {
		notes.add("forge: " + w)
	}
	failed := p.failedTests()
	if p.accepted == 0 || (out.Failed || err.Failed) && exit.Code != 0 && !failed {
		if p.reportBuild(append(out.Blocking(), err.Blocking()...), out.Omitted+err.Omitted) {
			return
		}
	}
	errors := append(err.Errors, out.Errors...)
	if len(errors) == 0 {
		return
	}
	said := strings.Join(errors, "\n")
	text := strings.TrimSpace(strings.ReplaceAll(said, helpHint, ""))
	if p.accepted == 0 && p.wasRefused(said, exit) {
		words, _, _ := strings.Cut(text, "\n\nUsage: ")
		sdk.Refuse(p.sink, sdk.Refusal{Words: makeVisible(words)})
	}
	if failed || p.accepted > 0 && exit.Code == 0 && !exit.Unknown {
		notes.add("forge: " + text)
		return
	}
	p.sink.RunError(text)
}

// helpHint ends forge's messages about its arguments.
const helpHint = "For more information, try '--help'."

// noSuchCompilers are forge's messages about a missing compiler of --use.
var noSuchCompilers = []string{"`solc` %s does not exist", "can't install missing solc %s in offline mode"}

// wasRefused reports whether forge's errors are about its arguments: it had done nothing
// yet.
func (p *parser) wasRefused(said string, exit sdk.Exit) bool {
	if exit.Unknown || exit.Code == 0 || len(p.broken) > 0 || len(p.run.Command.Argv) == 0 {
		return false
	}
	if exit.Code == usageExit && strings.HasSuffix(strings.TrimSpace(said), helpHint) {
		return true
	}
	version, set := p.options.Get("use")
	return set && slices.ContainsFunc(noSuchCompilers, func(words string) bool {
		return strings.HasSuffix(strings.TrimSpace(said), fmt.Sprintf(words, version))
	})
}

// usageExit is forge's exit code for invalid arguments.
const usageExit = 2

// failedTests reports whether a test is known to have failed, which explains the exit
// code.
func (p *parser) failedTests() bool {
	for _, s := range p.results.suites {
		if slices.ContainsFunc(s.tests, func(t testjson.Test) bool { return t.Status == testjson.Failure }) {
			return true
		}
	}
	return false
}

// reportBuild reports compile errors.
func (p *parser) reportBuild(errors []solcout.Diagnostic, omitted int) bool {
	seen := map[string]bool{}
	gone := missing{root: p.run.Workspace.Root}
	for _, d := range errors {
		gone.addFrom(d)
		f := sdk.Failure{Kind: sdk.KindBuild, Message: makeVisible(d.Message), Location: p.place(d.Place)}
		if d.Code != "" {
			f.Attributes = map[string]string{"code": d.Code}
		}
		for _, n := range d.Notes {
			f.Also = append(f.Also, sdk.Also{Message: makeVisible(n.Message), Location: p.place(n.Place)})
		}
		// Both streams may have the same.
		if key := fmt.Sprint(f.Location, d.Code, f.Message); !seen[key] {
			seen[key] = true
			p.sink.Failure(f)
		}
	}
	if text := gone.note(); text != "" {
		p.sink.Note(text)
	}
	if omitted > 0 {
		p.sink.Note(fmt.Sprintf("%d more messages of the compiler were left out", omitted))
	}
	return len(seen) > 0
}

// place converts a place printed by the compiler to one relative to the root.
func (p *parser) place(at solcout.Place) sdk.Location {
	file := filepath.ToSlash(at.File)
	if root := p.run.Workspace.Root; root != "" && filepath.IsAbs(at.File) {
		if rel, err := filepath.Rel(root, at.File); err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
	}
	return sdk.Location{File: makeVisible(file), Line: at.Line, Column: at.Column}
}

// noter passes on a limited number of notes, each once.
type noter struct {
	sink    sdk.Sink
	limit   int
	seen    map[string]bool
	omitted int
}

func (n *noter) add(text string) {
	switch {
	case n.seen[text]:
	case len(n.seen) == n.limit:
		n.omitted++
	default:
		if n.seen == nil {
			n.seen = map[string]bool{}
		}
		n.seen[text] = true
		n.sink.Note(text)
	}
}

func (n *noter) close() {
	if n.omitted > 0 {
		n.sink.Note(fmt.Sprintf("%d more warnings were left out", n.omitted))
	}
}
