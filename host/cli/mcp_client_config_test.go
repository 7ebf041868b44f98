//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

// TestGeminiFindsTheServerThatIsWrittenForIt has the Gemini CLI start the server and
// shake hands with it, which it does without an account.
func TestGeminiFindsTheServerThatIsWrittenForIt(t *testing.T) {
	t.Parallel()
	a := newAgent(t, redAndGreen)
	trusted, err := json.Marshal(map[string]string{a.dir: "TRUST_FOLDER"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(a.home, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.home, ".gemini", "trustedFolders.json"), trusted, 0o600); err != nil {
		t.Fatal(err)
	}
	a.proctor("mcp", "config", "gemini", "--write").expect(t, 0)
	a.client("gemini", "mcp", "list").expect(t, 0, "proctor: ", "(stdio) - Connected")
}

// TestCodexReadsTheServerThatIsWrittenForIt compares what Codex makes of the file with
// what it makes of its own command.
func TestCodexReadsTheServerThatIsWrittenForIt(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	type entry struct {
		Name      string
		Enabled   bool
		Transport struct {
			Type, Command string
			Args          []string
		}
		ToolTimeoutSec float64 `json:"tool_timeout_sec"`
	}
	get := func() entry {
		t.Helper()
		r := a.client("codex", "mcp", "get", "proctor", "--json")
		r.expect(t, 0)
		var e entry
		decodeInto(t, r, &e)
		if !e.Enabled || e.Transport.Type != "stdio" || len(e.Transport.Args) == 0 || e.Transport.Args[0] != "mcp" {
			t.Errorf("codex reads %+v", e)
		}
		return e
	}
	a.client("codex", "mcp", "add", "proctor", "--", testbin.Path("proctor"), "mcp").expect(t, 0)
	get()
	a.client("codex", "mcp", "remove", "proctor").expect(t, 0)

	a.proctor("mcp", "config", "codex", "--write").expect(t, 0)
	// Its limit is five minutes, and a run may take half an hour.
	if e := get(); e.ToolTimeoutSec < 1800 {
		t.Errorf("codex gives up on a call after %g s", e.ToolTimeoutSec)
	}
}
