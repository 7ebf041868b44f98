package host

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

// probed is the project with what its plugin's probes print now. A probe that
// cannot be started is left out: what depends on it will say so.
func (h *base) probed(ctx context.Context, p project) project {
	if len(p.missing) > 0 {
		return p // the run says so
	}
	outputs := make([]*sdk.ProbeOutput, len(p.id.Probes))
	var wg sync.WaitGroup
	for i, probe := range p.id.Probes {
		wg.Go(func() {
			out, err := h.probe(ctx, p, probe)
			if err != nil {
				h.cfg.Logger.Warn("probe failed", "plugin", p.id.Name, "probe", probe.Name, "error", err)
				return
			}
			outputs[i] = &out
		})
	}
	wg.Wait()
	p.ws.Probes = map[string]sdk.ProbeOutput{}
	for i, probe := range p.id.Probes {
		if outputs[i] != nil {
			p.ws.Probes[probe.Name] = *outputs[i]
		}
	}
	return p
}

func (h *base) probe(ctx context.Context, p project, probe sdk.Probe) (sdk.ProbeOutput, error) {
	cmd := sdk.Command{Argv: probe.Argv, Env: probe.Env, UnsetEnv: probe.UnsetEnv}
	ready, err := h.prepare(p, cmd, time.Now().Add(probeDeadline))
	if err != nil {
		return sdk.ProbeOutput{}, err
	}
	defer ready.cleanup()
	result, err := runner.Run(ctx, ready.Config)
	if err != nil {
		return sdk.ProbeOutput{}, err
	}
	out := sdk.ProbeOutput{ExitCode: result.Exit.Code, Stderr: result.Stderr.Tail(maxTailBytes)}
	// Half an answer would be taken for another answer.
	if text := result.Stdout.String(); len(text) <= sdk.MaxProbe {
		out.Stdout = []byte(text)
	} else {
		out.ExitCode = -1
	}
	out.Stderr = strings.TrimSpace(out.Stderr)
	return out, nil
}
