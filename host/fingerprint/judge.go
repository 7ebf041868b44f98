package fingerprint

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"

	"github.com/proctorhq/proctor/host/git"
)

// judge says which untracked names git ignores, by git's own rules: one `git
// check-ignore` answers during a whole walk. It starts with the first question, and is
// safe for concurrent use.
type judge struct {
	git git.Git

	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	words  *git.Words
	cancel context.CancelFunc
}

// question is the command that answers.
var question = [...]string{"check-ignore", "-z", "-v", "-n", "--stdin"}

// answerFields is the number of fields in an answer: source, line, pattern and path.
const answerFields = 4

// ignored says for each path, relative to the top, whether git ignores it. No path may
// be in an ignored directory.
func (j *judge) ignored(ctx context.Context, paths []string) ([]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.start(ctx); err != nil {
		return nil, err
	}
	var questions bytes.Buffer
	for _, p := range paths {
		// The dot keeps a name that begins with a colon from being a pattern.
		fmt.Fprintf(&questions, "./%s\x00", p)
	}
	sent := make(chan error, 1)
	go func() {
		_, err := j.in.Write(questions.Bytes())
		sent <- err
	}()
	verdicts := make([]bool, len(paths))
	var err error
	for i, p := range paths {
		if verdicts[i], err = j.answer(p); err != nil {
			break
		}
	}
	if err != nil {
		j.cancel() // unblocks the writer, too
	}
	if werr := <-sent; err == nil {
		err = werr
	}
	if err != nil {
		j.end() // its output is complete
		return nil, j.git.Failed(ctx, question[:], j.words.String(), err)
	}
	return verdicts, nil
}

func (j *judge) start(ctx context.Context) error {
	if j.cmd != nil {
		return nil
	}
	ctx, cancel := git.Within(ctx, git.AnswerTime)
	cmd := j.git.Command(ctx, question[:]...)
	words := &git.Words{}
	cmd.Stderr = words
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		in.Close()
		return &git.Error{Dir: j.git.Dir(), Command: question[0], Err: err}
	}
	j.cmd, j.in, j.out, j.words, j.cancel = cmd, in, bufio.NewReader(out), words, cancel
	return nil
}

// answer reads one answer. A pattern that begins with an exclamation mark includes the
// path again.
func (j *judge) answer(path string) (bool, error) {
	var fields [answerFields][]byte
	for i := range fields {
		raw, err := j.out.ReadBytes(0)
		if err != nil {
			return false, errors.Join(errors.New("it ended before its last answer"), err)
		}
		fields[i] = bytes.TrimSuffix(raw, []byte{0})
	}
	if got, ok := bytes.CutPrefix(fields[3], []byte("./")); !ok || string(got) != path {
		return false, fmt.Errorf("it was asked for %q and answered for %q", path, fields[3])
	}
	pattern := fields[2]
	return len(pattern) > 0 && pattern[0] != '!', nil
}

// close ends the process, which may be started again.
func (j *judge) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.cmd == nil {
		return
	}
	j.end()
}

func (j *judge) end() {
	j.in.Close()
	j.cancel()   // it has nothing to finish
	j.cmd.Wait() // reports that it was killed
	j.cmd = nil
}
