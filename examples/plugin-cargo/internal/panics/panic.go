package panics

import (
	"regexp"
	"strconv"
	"strings"
)

// maxFrames bounds a stack: one that overflowed has thousands of equal frames.
const maxFrames = 64

// Place is a location in a source file as the compiler writes it.
type Place struct {
	File         string
	Line, Column int
}

// Frame is one frame of a stack.
type Frame struct {
	Function string
	Place    Place
}

// Panic is one panic.
type Panic struct {
	// Thread is the name of its thread: that of the test, "main" if tests run one after
	// the other, or another.
	Thread  string
	Message string
	Place   Place
	Stack   []Frame // innermost first
}

var (
	head = regexp.MustCompile(`^thread '(.*)' (?:\(\d+\) )?panicked at (.+)$`)
	// Since Rust 1.73 the message has lines of its own.
	placeOnly = regexp.MustCompile(`^(.+?):(\d{1,9}):(\d{1,9}):$`)
	// Before, it was between the thread and the location.
	oldEnd     = regexp.MustCompile(`^(.*)', ([^']+?):(\d{1,9}):(\d{1,9})$`)
	frameHead  = regexp.MustCompile(`^ *\d+: (?:0x[0-9a-f]+ - )?(.+)$`)
	framePlace = regexp.MustCompile(`^ +at (.+?):(\d{1,9})(?::(\d{1,9}))?$`)
)

// Read returns the panics in a text, in their order.
func Read(text string) []Panic {
	lines := strings.Split(text, "\n")
	var found []Panic
	for i := 0; i < len(lines); {
		p, next, ok := readPanic(lines, i)
		if ok {
			found = append(found, p)
		}
		i = next
	}
	return found
}

func readPanic(lines []string, i int) (Panic, int, bool) {
	if !strings.HasPrefix(lines[i], "thread '") {
		return Panic{}, i + 1, false
	}
	m := head.FindStringSubmatch(lines[i])
	if m == nil {
		return Panic{}, i + 1, false
	}
	p := Panic{Thread: m[1]}
	i++
	if at := placeOnly.FindStringSubmatch(m[2]); at != nil {
		p.Place = parsePlace(at[1:])
		start := i
		for i < len(lines) && !endsMessage(lines[i]) {
			i++
		}
		p.Message = strings.TrimRight(strings.Join(lines[start:i], "\n"), "\n ")
	} else if old, ok := strings.CutPrefix(m[2], "'"); ok {
		var message []string
		for {
			if at := oldEnd.FindStringSubmatch(old); at != nil {
				p.Message, p.Place = strings.Join(append(message, at[1]), "\n"), parsePlace(at[2:])
				break
			}
			if message = append(message, old); i >= len(lines) || endsMessage(lines[i]) {
				p.Message = strings.Join(message, "\n")
				break
			}
			old = lines[i]
			i++
		}
	} else {
		p.Message = m[2]
	}
	p.Stack, i = readStack(lines, i)
	return p, i, true
}

// endsMessage reports whether a line is one that the runtime prints after a message.
func endsMessage(line string) bool {
	return line == "stack backtrace:" || strings.HasPrefix(line, "note: ") || head.MatchString(line) ||
		strings.HasPrefix(line, "error: test failed, to rerun pass ") // cargo's, where nothing was captured
}

func readStack(lines []string, i int) ([]Frame, int) {
	if i >= len(lines) || lines[i] != "stack backtrace:" {
		return nil, i
	}
	var stack []Frame
	for i++; i < len(lines); i++ {
		if at := framePlace.FindStringSubmatch(lines[i]); at != nil && len(stack) > 0 {
			stack[len(stack)-1].Place = parsePlace(at[1:])
		} else if m := frameHead.FindStringSubmatch(lines[i]); m != nil {
			if len(stack) == maxFrames {
				continue
			}
			stack = append(stack, Frame{Function: m[1]})
		} else {
			break
		}
	}
	return stack, i
}

func parsePlace(m []string) Place {
	p := Place{File: m[0]}
	p.Line, _ = strconv.Atoi(m[1]) // digits, by the expression
	if len(m) > 2 {
		p.Column, _ = strconv.Atoi(m[2])
	}
	return p
}

// FindPanic returns the panic that ended a test: the last one of the test's own thread, or
// else the last one of any.
func FindPanic(test string, found []Panic) (Panic, bool) {
	for i := len(found) - 1; i >= 0; i-- {
		if found[i].Thread == test || found[i].Thread == "main" {
			return found[i], true
		}
	}
	if len(found) == 0 {
		return Panic{}, false
	}
	return found[len(found)-1], true
}
