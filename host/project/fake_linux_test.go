package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/server"
)

// TestMain lets the test binary stand for a plugin, under its name.
func TestMain(m *testing.M) {
	name, ok := strings.CutPrefix(filepath.Base(os.Args[0]), "proctor-plugin-")
	if !ok {
		os.Exit(m.Run())
	}
	server.Serve(server.Config{
		Description: sdk.Description{Name: name, Version: "1.0.0", Language: name, Markers: []string{"project.txt"}},
		Detector:    idle{},
	})
}

// idle detects projects and runs nothing.
type idle struct{}

func (idle) TestCmd(context.Context, sdk.TestRequest) (sdk.Plan, error)          { return sdk.Plan{}, nil }
func (idle) RerunCmd(context.Context, sdk.RerunRequest) (sdk.Plan, error)        { return sdk.Plan{}, nil }
func (idle) ParseTestFailures(context.Context, sdk.RunInfo, sdk.Sink) sdk.Parser { return nil }
