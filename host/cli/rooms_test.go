package cli

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const ourPath = "github.com/proctorhq/proctor/"

// rooms are the packages of the host in their order: a room imports only rooms that
// stand before it. ARCHITECTURE.md says what each is for.
var rooms = strings.Fields(`
	prose linediff plugin/manifest/document plugin/manifest api
	outstanding verdict shard metrics coverage coverage/affected
	atomicfile ctxio procgroup git workspace config fingerprint checkout runner sandbox coverage/store
	plugin/lock plugin/store plugin/held plugin
	install/index install/archive install/source install/publish install/template install
	history history/historytest history/sqlite classify quarantine
	tally project ledger/artifacts ledger ledger/ledgertest nested standing
	precheck translate sources engine repeat query testlist triage covering transfer portable merge doctor upload watch postrun
	render/concise render render/gas report terminal watch/screen mcpconfig mcp/arguments mcp/completion mcp/directory mcp/guard mcp/head mcp/limits mcp/logs mcp/pick mcp/prompts mcp/tasks mcp/toollist mcp/trace mcp mcp/stdio cli/flags cli/help cli/plugincall cli/pluginlog cli/reports cli/fleetcall cli`)

// pure are the rooms that take values and return values.
var pure = []string{"outstanding", "verdict", "shard", "metrics", "coverage", "coverage/affected", "classify"}

func TestARoomImportsOnlyRoomsBeforeIt(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", ourPath+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(p.ImportPath, ourPath)
		for _, imported := range p.Imports {
			checkImport(t, path, imported)
		}
	}
}

func TestTheArchitectureNamesEachRoom(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range rooms {
		whole, part, _ := strings.Cut(room, "/")
		if part != "" && (whole == "plugin" || whole == "install") || strings.HasSuffix(room, "test") {
			continue // of one room, or of tests
		}
		if !strings.Contains(string(text), "`"+room+"`") {
			t.Errorf("host/%s is missing", room)
		}
	}
}

func checkImport(t *testing.T, path, imported string) {
	room, inHost := strings.CutPrefix(path, "host/")
	target, isHost := strings.CutPrefix(imported, ourPath+"host/")
	at, before := slices.Index(rooms, room), slices.Index(rooms, target)
	switch {
	case inHost && at < 0:
		t.Errorf("%s has no place in the order: add it to rooms and to ARCHITECTURE.md", path)
	case slices.Contains(pure, room) && slices.Contains([]string{"os", "net", "io", "context", "syscall", "os/exec", "path/filepath"}, imported):
		t.Errorf("%s imports %s, and is meant to be pure", path, imported)
	case isHost && strings.HasPrefix(target, "install") && !strings.HasPrefix(room, "install") && room != "cli":
		t.Errorf("%s imports %s: only the CLI may download anything", path, imported)
	case isHost && (strings.HasPrefix(path, "sdk") || strings.HasPrefix(path, "plugins/")):
		t.Errorf("%s imports %s: others build on it without the host", path, imported)
	case path == "sdk" && (strings.HasPrefix(imported, "google.golang.org/") || strings.HasPrefix(imported, "github.com/hashicorp/")):
		t.Errorf("%s imports %s: every program that uses its types, such as the tests of pure rooms, would link the transport", path, imported)
	case inHost && strings.HasPrefix(imported, ourPath+"plugins/"):
		t.Errorf("%s imports %s: a plugin is reached through its process", path, imported)
	case inHost && strings.HasSuffix(imported, "/template") && !isHost:
		t.Errorf("%s imports %s, which calls methods by their names: the linker then keeps each exported method of proctor, 4 MB", path, imported)
	case inHost && isHost && before >= at:
		t.Errorf("%s imports %s, which stands behind it", path, imported)
	case room == "query" && target == "engine":
		t.Errorf("%s imports %s: a question runs nothing", path, imported)
	}
}
