package plugin

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/hashicorp/go-plugin/runner"
)

var _ runner.Runner = (*process)(nil)

// Wait implements [runner.Runner].
func (p *process) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ended:
	}
	if p.exit != (ExitStatus{}) {
		return errors.New(p.exit.String())
	}
	return nil
}

// Kill ends the process and its group.
func (p *process) Kill(context.Context) error {
	p.mu.Lock()
	p.killed = true
	group := p.group
	p.mu.Unlock()
	if group == nil {
		return nil
	}
	if err := group.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// Stdout gives go-plugin the handshake line.
func (p *process) Stdout() io.ReadCloser { return p.greetingOut }

// Stderr is empty: logs go to the journal, since go-plugin's reader panics on some
// lines.
func (p *process) Stderr() io.ReadCloser { return io.NopCloser(eof{}) }

// Name implements [runner.Runner].
func (p *process) Name() string { return p.candidate.Path }

// ID returns the pid, or "" before the start.
func (p *process) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group == nil {
		return ""
	}
	return strconv.Itoa(p.group.Pid())
}

// Diagnose implements [runner.Runner]; [instance.diagnose] does it better.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost implements [runner.Runner]. The address was checked with the greeting.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin implements [runner.Runner].
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
