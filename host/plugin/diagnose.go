package plugin

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"

	"github.com/proctorhq/proctor/host/procgroup"
)

// notAPlugin is the advice for a program that ended silently.
const notAPlugin = "is it a proctor plugin? Run it by hand to see what it says"

// diagnose says why the start failed. go-plugin has one text for ten causes.
func (i *instance) diagnose(cause error) error {
	e := i.handshakeError(cause)
	greeted, refused := i.process.greeting()
	var start *procgroup.StartError
	switch {
	case errors.As(cause, &start):
		e.Reason, e.Advice = start.Why, start.Todo
		if reason := foreignBinary(i.config.Candidate.Path); reason != "" {
			e.Reason, e.Advice = reason, "install the build for this system"
		}
	case i.process.ID() == "": // a prerequisite of the start failed
		e.Reason = cleanLine(cause.Error(), lineMax)
		if errors.Is(cause, syscall.EMFILE) || errors.Is(cause, syscall.ENFILE) {
			e.Reason, e.Advice = "too many files are open", "close some programs, or raise the limit (ulimit -n)"
		}
	case refused != nil:
		e.Reason, e.Advice, e.Stdout = refused.reason, refused.advice, refused.printed
	case !greeted && e.Panic != "":
		first, _, _ := strings.Cut(e.Panic, "\n")
		e.Reason, e.Advice = "it crashed before its handshake: "+first, "this is a fault of the plugin: report it to its author"
	case !greeted && e.Exit != nil:
		e.Reason, e.Advice = "it ended without a handshake", notAPlugin
		if runtime.GOOS == "darwin" && e.Exit.Signal == "SIGKILL" {
			e.Advice = "macOS kills binaries that are unsigned or quarantined: try xattr -d com.apple.quarantine " + i.config.Candidate.Path
		}
	case !greeted:
		e.Reason, e.Advice = "it closed its standard output without a handshake", notAPlugin
	default:
		e.Reason = "no connection to its socket: " + cleanLine(cause.Error(), lineMax)
	}
	return e
}

// diagnoseSilence explains the failed start of a plugin that ran out of time.
func (i *instance) diagnoseSilence() error {
	e := i.handshakeError(nil)
	e.Reason = fmt.Sprintf("no handshake within %s", i.config.StartTimeout)
	if greeted, _ := i.process.greeting(); greeted {
		e.Reason = fmt.Sprintf("no connection to its socket within %s", i.config.StartTimeout)
	}
	e.Advice = "it was killed; if the machine was very busy, try again"
	return e
}

func (i *instance) handshakeError(cause error) *HandshakeError {
	// A process that was killed because of its greeting ends in a moment.
	if i.process.ID() != "" {
		i.process.waitFor(exitLimit)
	}
	return &HandshakeError{
		Plugin: i.who(),
		Exit:   i.process.ownEnd(),
		Stderr: i.journal.tail(lastLines),
		Panic:  i.journal.panicText(),
		Err:    cause,
	}
}

// foreignBinary says which other system a Go binary was built for, if it was.
func foreignBinary(path string) string {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return ""
	}
	system, processor := runtime.GOOS, runtime.GOARCH
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			system = s.Value
		case "GOARCH":
			processor = s.Value
		}
	}
	if system == runtime.GOOS && processor == runtime.GOARCH {
		return ""
	}
	return fmt.Sprintf("it was built for %s/%s and this is %s/%s", system, processor, runtime.GOOS, runtime.GOARCH)
}
