package gotest

import (
	"context"

	"github.com/proctorhq/proctor/plugins/go/internal/parse"
	"github.com/proctorhq/proctor/sdk"
)

// ParseTestFailures implements [sdk.Detector].
func (d *Detector) ParseTestFailures(_ context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	run.Workspace = withEnvironmentFile(run.Workspace)
	return parse.New(parse.Config{Run: run}, sink)
}
