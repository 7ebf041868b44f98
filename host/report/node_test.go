package report_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/internal/needs"
)

// nodeProgram is a program of .ci on Node.js, which answers each line of its input with one.
type nodeProgram struct {
	t      *testing.T
	input  io.Writer
	answer *bufio.Reader
}

// startNode starts a program of .ci.
func startNode(t *testing.T, program string, args ...string) *nodeProgram {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), needs.Program(t, "node"), append([]string{filepath.Join("..", "..", ".ci", program)}, args...)...)
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
