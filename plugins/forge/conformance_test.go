package forge_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

func TestDetectorConformsToTheProtocol(t *testing.T) {
	recorded := filepath.Join("..", "..", "host", "cli", "testdata", "plugin-check")
	sources := map[string]string{
		"test/A.t.sol":     logging,
		"test/B.t.sol":     contractSource("BTest test_a() test_b()"),
		"test/SetUp.t.sol": "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract SetUpTest {\n    function setUp() public pure { require(false, \"no\"); }\n    function test_a() public {}\n}\n",
	}
	// A listing names sources, which are then read.
	for _, name := range []string{"test/Green.t.sol", "test/Red.t.sol", "test/Talks.t.sol"} {
		text, err := os.ReadFile(filepath.Join(recorded, "foundry", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		sources[name] = string(text)
	}
	l := newLive(t, sources)
	run, err := l.detector.TestCmd(t.Context(), sdk.TestRequest{Workspace: l.ws, Seed: "1"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.detector.ListCmd(t.Context(), sdk.ListRequest{Workspace: l.ws})
	if err != nil {
		t.Fatal(err)
	}
	listing := l.recording("list", list.Commands[0])
	composed := listing
	composed.Name, composed.Dependencies = "what suites are built from", true
	broken := newLive(t, map[string]string{"test/A.t.sol": contractSource("ATest test_a()") + "contract {\n"})
	plugintest.Run(t, plugintest.Config{
		Description: l.detector.Description(),
		Detector:    l.detector,
		Workspace:   l.ws,
		Recordings:  []plugintest.Recording{l.recording("run", run.Commands[0]), broken.recording("broken", run.Commands[0])},
		Listings:    []plugintest.Recording{listing, composed},
		Cases:       plugintest.ReadCases(t, filepath.Join(recorded, "forge")),
		Complete:    true,
	})
}

// recording runs a command and keeps its output.
func (l *live) recording(name string, c sdk.Command) plugintest.Recording {
	got := l.execute(c)
	return plugintest.Recording{
		Name:   name,
		Run:    sdk.RunInfo{Workspace: l.ws, Command: c},
		Pieces: []plugintest.Piece{{Stream: sdk.Stdout, Data: got.Stdout}, {Stream: sdk.Stderr, Data: got.Stderr}},
		Exit:   sdk.Exit{Code: got.Code},
	}
}
