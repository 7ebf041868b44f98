package plugintest

import (
	"testing"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// Config is a plugin under test.
type Config struct {
	Description sdk.Description
	Detector    sdk.Detector
	// Workspace is a project the detector composes commands for. Without a
	// root, commands are not checked.
	Workspace sdk.Workspace
	// Recordings are outputs of the runner: at least a red one.
	Recordings []Recording
	// Listings are outputs of ListCmd's commands, for a detector that lists.
	Listings []Recording
}

// Run holds a detector against every rule of the protocol that can be checked
// without knowing its runner.
func Run(t *testing.T, cfg Config) {
	t.Helper()
	RunConn(t, Connect(t, cfg.Detector, cfg.Description), cfg)
}

// RunConn is Run for a plugin at the other end of a connection, in whatever
// language; Config.Detector and Config.Description are not used.
func RunConn(t *testing.T, conn grpc.ClientConnInterface, cfg Config) {
	t.Helper()
	s := &suite{Config: cfg, detector: client.New(conn), conn: conn}
	t.Run("describes itself", s.describe)
	t.Run("composes commands that need no shell", s.commands)
	t.Run("reports the same however the output is split", s.chunking)
	t.Run("survives any output", s.anyOutput)
	t.Run("survives output cut anywhere", s.cutOutput)
	t.Run("ends when the host gives up", s.cancel)
	t.Run("keeps concurrent parses apart", s.concurrent)
	t.Run("refuses a stream without start or exit", s.incomplete)
	t.Run("ignores what a newer host adds", s.newerHost)
	t.Run("composes reruns of what failed", s.reruns)
	t.Run("passes on one test's output", s.outputOf)
	t.Run("lists tests", s.lists)
}

// suite is one plugin being checked.
type suite struct {
	Config
	detector *client.Detector
	conn     grpc.ClientConnInterface
}

// identity describes the plugin, or ends the test.
func (s *suite) identity(t *testing.T) client.Identity {
	t.Helper()
	id, err := s.detector.Describe(t.Context(), "plugintest")
	if err != nil {
		t.Fatalf("Describe: %v", err)
	}
	return id
}

// eachRecording runs check for every recording.
func (s *suite) eachRecording(t *testing.T, check func(*testing.T, Recording)) {
	t.Helper()
	if len(s.Recordings) == 0 {
		t.Skip("no recordings given")
	}
	for _, r := range s.Recordings {
		t.Run(r.Name, func(t *testing.T) { check(t, r) })
	}
}
