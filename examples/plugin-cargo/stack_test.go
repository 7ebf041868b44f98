package cargotest

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

// The path of a panic is relative to the root of the workspace, those in the stack below
// it to the directory of the package.
func TestLocationsOfAWorkspaceMember(t *testing.T) {
	const metadata = `{"packages":[{"name":"b","id":"b","manifest_path":"/w/b/Cargo.toml","features":{},"targets":[
		{"kind":["lib"],"name":"b","src_path":"/w/b/src/lib.rs","doctest":false,"test":true}]}],
		"workspace_members":["b"],"workspace_root":"/w","target_directory":"/w/target"}`
	text := strings.Join([]string{
		`{"reason":"build-finished","success":true}`, "", "running 1 test", "test tests::same ... FAILED", "", "failures:", "",
		"---- tests::same stdout ----", "", "thread 'tests::same' (1) panicked at b/src/helper.rs:3:5:", "no", "stack backtrace:",
		"   0: b::helper::check", "             at ./src/helper.rs:3:5", "   1: b::tests::same", "             at ./src/lib.rs:6:9",
		"note: x", "", "", "failures:", "    tests::same", "",
		"test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s", "", "",
	}, "\n")
	r := plugintest.Stdout("member", []byte(text), sdk.Exit{Code: 101})
	r.Run = sdk.RunInfo{
		Workspace: sdk.Workspace{Root: "/w", Probes: map[string]sdk.ProbeOutput{probeMetadata: {Stdout: []byte(metadata)}}},
		Command:   sdk.Command{Argv: []string{"cargo"}, Targets: []sdk.TestID{{Suite: "b lib b"}}},
	}
	e := plugintest.Parse(t, plugintest.Start(t, New(), Description()), r, plugintest.WholeChunks)
	if len(e.Failures) != 1 {
		t.Fatalf("%+v", e)
	}
	f := e.Failures[0]
	if f.Location != (sdk.Location{File: "b/src/helper.rs", Line: 3, Column: 5}) || f.TestFrame != (sdk.Location{File: "b/src/lib.rs", Line: 6, Column: 9}) {
		t.Errorf("at %+v, from %+v", f.Location, f.TestFrame)
	}
}
