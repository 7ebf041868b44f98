package report_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nodeProgram is a program of .ci on Node.js, which answers each line of its input with one.
type nodeProgram struct {
	t      *testing.T
	input  io.Writer
	answer *bufio.Reader
}

// failMissing fails a test in CI for what is missing, and skips it elsewhere.
func failMissing(t *testing.T, what string) {
	t.Helper()
	if ci := os.Getenv("CI"); strings.EqualFold(ci, "true") || ci == "1" {
		t.Fatal(what)
	}
	t.Skip("SKIPPED, NOTHING TESTED: " + what)
}

// findModules returns the directory that a make target installed.
func findModules(t *testing.T, target string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", ".cache", target))
	if err != nil {
		t.Fatal(err)
	}
	if installed, err := filepath.Glob(filepath.Join(dir, "stamp-*")); err != nil || len(installed) != 1 {
		failMissing(t, dir+" is not installed: run `make "+target+"` (it needs npm)")
	}
	return dir
}

// startNode starts a program of .ci.
func startNode(t *testing.T, program string, args ...string) *nodeProgram {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		failMissing(t, "node is missing")
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{filepath.Join("..", "..", ".ci", program)}, args...)...)
	cmd.Stderr = t.Output()
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = input.Close(); _ = cmd.Wait() })
	return &nodeProgram{t: t, input: input, answer: bufio.NewReader(output)}
}

// ask writes a line and decodes the answer.
func (p *nodeProgram) ask(question, answer any) {
	p.t.Helper()
	line, err := json.Marshal(question)
	if err == nil {
		_, err = p.input.Write(append(line, '\n'))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	if line, err = p.answer.ReadBytes('\n'); err != nil {
		p.t.Fatal("the program is gone: ", err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		p.t.Fatal(err)
	}
}
