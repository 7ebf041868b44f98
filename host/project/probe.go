package project

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/sdk"
)

// probeDeadline bounds a probe: it reads settings and builds nothing.
const probeDeadline = 10 * time.Second

// RunProbes returns the project with the current output of its plugin's probes. A probe
// that cannot be started is left out: whatever depends on it reports that.
func (h *Host) RunProbes(ctx context.Context, p Project) Project {
	if len(p.Missing) > 0 {
		return p // the run will report it
	}
	outputs := make([]*sdk.ProbeOutput, len(p.ID.Probes))
	var wg sync.WaitGroup
	for i, probe := range p.ID.Probes {
		wg.Go(func() {
			out, err := h.probe(ctx, p, probe)
			if err != nil {
				h.Cfg.Logger.Warn("probe failed", "plugin", p.ID.Name, "probe", probe.Name, "error", err)
				return
			}
			outputs[i] = &out
		})
	}
	wg.Wait()
	p.Ws.Probes = map[string]sdk.ProbeOutput{}
	for i, probe := range p.ID.Probes {
		if outputs[i] != nil {
			p.Ws.Probes[probe.Name] = *outputs[i]
		}
	}
	return p
}

func (h *Host) probe(ctx context.Context, p Project, probe sdk.Probe) (sdk.ProbeOutput, error) {
	cmd := sdk.Command{Argv: probe.Argv, Env: probe.Env, UnsetEnv: probe.UnsetEnv}
	ready, err := h.Prepare(p, cmd, time.Now().Add(probeDeadline))
	if err != nil {
		return sdk.ProbeOutput{}, err
	}
	defer ready.Cleanup()
	result, err := runner.Run(ctx, ready.Config)
	if err != nil {
		return sdk.ProbeOutput{}, err
	}
	out := sdk.ProbeOutput{ExitCode: result.Exit.Code, Stderr: result.Stderr.Tail(MaxTailBytes)}
	// A truncated answer would be mistaken for a different one.
	if text := result.Stdout.String(); len(text) <= sdk.MaxProbe {
		out.Stdout = []byte(text)
	} else {
		out.ExitCode = -1
	}
	out.Stderr = strings.TrimSpace(out.Stderr)
	return out, nil
}
