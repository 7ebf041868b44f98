package source

import (
	"bytes"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Method is a method that a suite of methods, such as testify's, runs as a subtest with
// its name.
type Method struct {
	// Receiver is the name of its type.
	Receiver, Name string
	// Line is that of the func keyword.
	Line int
}

// Declared is what results of a test file can be named after.
type Declared struct {
	// Functions are those that "go test" knows, including examples that are only
	// compiled.
	Functions []Function
	Methods   []Method
	// Runners are the functions that run a suite of methods, with the names they
	// mention: one of them is the suite's type.
	Runners map[string][]string
}

// Declarations reads the source of a test file, like [Scan].
func Declarations(src []byte) Declared {
	var all Declared
	line, counted := 1, 0
	for h, found := nextHeading(src, 0); found; {
		next, more := nextHeading(src, h.after)
		kind := KindOf(h.name)
		if kind != 0 && (h.name != "TestMain" || h.receiver != "" || takesT(src[h.after:])) {
			line += bytes.Count(src[counted:h.start], []byte{'\n'})
			counted = h.start
			end := len(src)
			if more {
				end = next.start
			}
			all.add(h, kind, line, src[h.after:end])
		}
		h, found = next, more
	}
	return all
}

func (d *Declared) add(h heading, kind Kind, line int, body []byte) {
	switch {
	case h.receiver == "":
		d.Functions = append(d.Functions, Function{Name: h.name, Kind: kind, Line: line, Body: sdk.DigestBody(ownBody(body))})
		if kind == Test && runsSuite(body) {
			if d.Runners == nil {
				d.Runners = map[string][]string{}
			}
			d.Runners[h.name] = listNames(body[:min(len(body), maxRunner)])
		}
	case kind == Test:
		d.Methods = append(d.Methods, Method{Receiver: h.receiver, Name: h.name, Line: line})
	}
}

const (
	// maxRunner bounds how much of a function that runs a suite is read, in bytes.
	maxRunner = 2 << 10
	// maxMentioned bounds the names kept of one.
	maxMentioned = 64
)

// runsSuite finds a call of testify's suite.Run, under any name of an imported package
// with that word in its path.
func runsSuite(body []byte) bool {
	for {
		at := bytes.Index(body, []byte(".Run("))
		if at < 0 {
			return false
		}
		begin := at
		for begin > 0 && inIdentifier(body[begin-1]) {
			begin--
		}
		if strings.Contains(strings.ToLower(string(body[begin:at])), "suite") {
			return true
		}
		body = body[at+1:]
	}
}

// listNames returns the unqualified names in a text.
func listNames(text []byte) []string {
	var names []string
	for at := 0; at < len(text) && len(names) < maxMentioned; {
		end := at
		for end < len(text) && inIdentifier(text[end]) {
			end++
		}
		if name := string(text[at:end]); end > at && (at == 0 || text[at-1] != '.') && !slices.Contains(names, name) {
			names = append(names, name)
		}
		at = max(end, at+1)
	}
	return names
}

// ownBody returns the part of a text that belongs to the function at its beginning: up
// to the line that ends it at the margin, as gofmt writes it, or its only line.
func ownBody(text []byte) []byte {
	first, _, _ := bytes.Cut(text, []byte{'\n'})
	if opened := bytes.Count(first, []byte{'{'}); opened > 0 && opened == bytes.Count(first, []byte{'}'}) {
		return first
	}
	if end := bytes.Index(text, []byte("\n}")); end >= 0 {
		return text[:end+2]
	}
	return text
}
