package plugin

import (
	"context"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// IndexCmd asks for the commands that find out which lines each test executes. If the
// plugin cannot, the error is an [*UnsupportedError].
func (p *Plugin) IndexCmd(ctx context.Context, req sdk.IndexRequest) (sdk.Plan, error) {
	if !p.identity.Index {
		return sdk.Plan{}, p.unsupported("IndexCmd")
	}
	plan, err := ask(ctx, p, "IndexCmd", func(ctx context.Context, d *client.Detector) (sdk.Plan, error) {
		return d.IndexCmd(ctx, req)
	}, planCheck(true))
	return boundPlan(plan), err
}

// ParseCoverage has the plugin read the files that a command left. The sink is called
// from this goroutine. Suites reported before an error count; a crash ends the call,
// without a retry. If the plugin cannot, the error is an [*UnsupportedError].
func (p *Plugin) ParseCoverage(ctx context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	if !p.identity.Cover && !p.identity.Index {
		return p.unsupported("ParseCoverage")
	}
	return p.receive(ctx, "ParseCoverage", func(ctx context.Context, d *client.Detector, r *reception) error {
		return d.ParseCoverage(ctx, req, coverageGuard{sink: sink, reception: r, seen: map[string]bool{}})
	})
}

// Outline asks for the declarations of source files. The sink is called from this
// goroutine. Files reported before an error count; a crash ends the call, without a
// retry. A file with two units of one name is not reported: a change of one of them
// could be missed. If the plugin cannot, the error is an [*UnsupportedError].
func (p *Plugin) Outline(ctx context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	if !p.identity.Outline {
		return p.unsupported("Outline")
	}
	asked := make(map[string]bool, len(req.Files))
	for _, f := range req.Files {
		asked[f] = true
	}
	return p.receive(ctx, "Outline", func(ctx context.Context, d *client.Detector, r *reception) error {
		return d.Outline(ctx, req, outlineGuard{sink: sink, reception: r, left: asked})
	})
}
