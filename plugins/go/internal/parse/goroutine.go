package parse

import "strings"

// maxFrames bounds the frames of the project's code kept of one goroutine: a
// stack overflow has a hundred, and the first tell where it happened.
const maxFrames = 32

// goroutine is one stack of a dump, as far as it matters.
type goroutine struct {
	state string
	// frames of the code under test, innermost first.
	frames []frame
	// created is the call that started it.
	created frame
	// runner: it runs a test, a subtest or a fuzz target.
	runner bool
	// waits: what it last called of the code under test waits for subtests or
	// for its turn.
	waits bool
	// cleanup: it runs what t.Cleanup was given.
	cleanup bool
	// pending is a function whose file has not been read yet.
	pending   string
	isCreator bool
}

// parseGoroutine reads "goroutine 7 [running]:", with what newer versions add.
func parseGoroutine(text string) (state string, ok bool) {
	rest, found := strings.CutPrefix(text, "goroutine ")
	if !found || len(rest) == 0 || rest[0] < '0' || rest[0] > '9' {
		return "", false
	}
	open, end := strings.IndexByte(rest, '['), strings.LastIndex(rest, "]:")
	if open < 0 || end < open {
		return "", false
	}
	return rest[open+1 : end], true
}

// read takes one line of the stack.
func (g *goroutine) read(text string) {
	if g.pending != "" {
		file, line, ok := parseFrameFile(text)
		if ok {
			g.add(frame{function: g.pending, file: file, line: line})
			g.pending = ""
			return
		}
		g.pending = ""
	}
	if creator, found := strings.CutPrefix(strings.TrimSpace(text), "created by "); found {
		creator, _, _ = strings.Cut(creator, " in goroutine ")
		g.pending, g.isCreator = creator, true
		return
	}
	if function, ok := parseFunction(text); ok {
		g.pending, g.isCreator = function, false
	}
}

func (g *goroutine) add(f frame) {
	if g.isCreator {
		g.created = f
		return
	}
	switch f.function {
	case "testing.tRunner", "testing.(*B).runN", "testing.fRunner", "testing.runExample":
		g.runner = true
	case "testing.(*common).runCleanup":
		g.cleanup = true
	case "testing.(*T).Run", "testing.(*T).Parallel", "testing.(*F).Fuzz", "testing.(*B).Run", "testing.(*M).Run":
		if len(g.frames) == 0 {
			g.waits = true
		}
	}
	// A recursion is one frame: how deep it was says little.
	if f.isUser() && len(g.frames) < maxFrames && (len(g.frames) == 0 || g.frames[len(g.frames)-1] != f) {
		g.frames = append(g.frames, f)
	}
}

// matters reports whether anything of the project is in it.
func (g *goroutine) matters() bool { return len(g.frames) > 0 || g.created.isUser() }

// testRoot is the top-level test that the goroutine works for: what started it,
// unless that was the runner, else the outermost of its frames that names one.
func (g *goroutine) testRoot(suiteName string) (name string, depth int) {
	if !g.runner {
		if name, depth = g.created.testRoot(suiteName); name != "" {
			return name, depth
		}
	}
	for i := len(g.frames) - 1; i >= 0; i-- {
		if name, depth = g.frames[i].testRoot(suiteName); name != "" {
			return name, depth
		}
	}
	return "", 0
}

// callsMethod reports whether the goroutine runs the method that a test of a
// suite is named after, as testify's are.
func (g *goroutine) callsMethod(name string) bool {
	_, method, found := cutLast(name, "/")
	if !found {
		return false
	}
	for _, f := range g.frames {
		if _, called := f.split(); strings.HasSuffix(called, ")."+method) {
			return true
		}
	}
	return false
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}
