package plugintest

import (
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/conform"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// Config describes a plugin under test.
type Config struct {
	Description sdk.Description
	Detector    sdk.Detector
	// Binary is the plugin's program. If set, everything is checked over a real
	// process, and Description and Detector are unused.
	Binary string
	// Workspace is a project for which the detector composes commands. Without a root,
	// commands are not checked.
	Workspace sdk.Workspace
	// Cases are outputs of the runner and the expected reports: [ReadCases]. A green
	// one, a red one, and one with a pass that a test merely prints are the most
	// useful.
	Cases []golden.Case
	// Recordings are outputs of the runner without an expectation.
	Recordings []Recording
	// Listings are outputs of ListCmd's commands, for a detector that lists.
	Listings []Recording
	// Manifest is what the plugin's manifest says; nil if it is not compared.
	Manifest *conform.Manifest
	// Complete turns everything that could not be checked into an error, except, without
	// Binary, what needs a process.
	Complete bool
}

// Run checks a detector against every rule of the protocol that does not depend on its
// runner, each in a subtest. A rule that could not be checked is skipped with what it
// needs.
func Run(t *testing.T, cfg Config) {
	t.Helper()
	if cfg.Binary != "" {
		runPoints(t, nil, cfg)
		return
	}
	RunConn(t, Connect(t, cfg.Detector, cfg.Description), cfg)
}

// RunConn is like Run for a plugin at the other end of a connection. It ignores
// Config.Detector, Config.Description and Config.Binary.
func RunConn(t *testing.T, conn grpc.ClientConnInterface, cfg Config) {
	t.Helper()
	cfg.Binary = ""
	runPoints(t, conn, cfg)
}

func runPoints(t *testing.T, conn grpc.ClientConnInterface, cfg Config) {
	t.Helper()
	kit, err := conform.New(t.Context(), conform.Config{
		Binary: cfg.Binary, Conn: conn, Workspace: cfg.Workspace, Cases: cfg.Cases,
		Recordings: cfg.Recordings, Listings: cfg.Listings, Manifest: cfg.Manifest,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kit.Close)
	for _, point := range conform.Points() {
		t.Run(point.Title, func(t *testing.T) {
			reportResult(t, kit.Check(t.Context(), point), cfg.Complete && (cfg.Binary != "" || !point.NeedsProcess()))
		})
	}
}

// reportResult translates the result of a rule for package testing.
func reportResult(t *testing.T, r conform.Result, needed bool) {
	t.Helper()
	for _, note := range r.Notes {
		t.Log(note)
	}
	for _, f := range r.Findings {
		t.Errorf("%s\n%s\nthe rule: %s", f.Seen, f.Advice, r.Rule)
	}
	if r.Left > 0 {
		t.Errorf("and %d more", r.Left)
	}
	if needed && r.Status == conform.NotChecked {
		t.Errorf("not checked: %s\nthe rule: %s", r.Reason, r.Rule)
		return
	}
	if r.Status == conform.NotChecked || r.Status == conform.NotApplicable {
		t.Skip(strings.ReplaceAll(string(r.Status), "_", " ") + ": " + r.Reason)
	}
}
