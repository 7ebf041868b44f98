package forge

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// replays are failures that forge found in an earlier run and tries first. They recur,
// whatever the seed, until its cache is cleaned.
type replays struct {
	// inputs maps fuzz tests, as "Contract/test", to the input stored before the run.
	inputs map[string]string
	// reported are invariants that forge reported as replayed, as "Contract/test".
	reported map[string]bool
}

const (
	maxReplays     = 2000
	maxReplaySize  = 256 << 10
	defaultFuzzDir = "cache/fuzz"
)

// readReplays reads which inputs are stored, before forge has had time to store others.
func readReplays(ws sdk.Workspace) replays {
	var config struct {
		Fuzz struct {
			Dir *string `json:"failure_persist_dir"`
		} `json:"fuzz"`
	}
	dir := defaultFuzzDir
	if json.Unmarshal(ws.Probes[settings.ConfigProbe].Stdout, &config) == nil && config.Fuzz.Dir != nil {
		dir = *config.Fuzz.Dir
	}
	if !filepath.IsLocal(filepath.FromSlash(dir)) {
		return replays{} // outside of the workspace
	}
	root, err := os.OpenRoot(ws.Root)
	if err != nil {
		return replays{}
	}
	defer func() { _ = root.Close() }()
	r := replays{inputs: map[string]string{}}
	base := filepath.Join(filepath.ToSlash(dir), "failures")
	for _, contract := range listNames(root, base) {
		for _, test := range listNames(root, filepath.Join(base, contract)) {
			if len(r.inputs) == maxReplays {
				return r
			}
			if input := storedInput(root, filepath.Join(base, contract, test)); input != "" {
				r.inputs[contract+"/"+test] = input
			}
		}
	}
	return r
}

func listNames(root *os.Root, dir string) []string {
	if info, err := root.Stat(dir); err != nil || !info.IsDir() {
		return nil // opening a pipe would block
	}
	f, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	list, _ := f.Readdirnames(maxReplays)
	return list
}

// storedInput reads the calldata of a stored failure.
func storedInput(root *os.Root, name string) string {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxReplaySize))
	if err != nil {
		return ""
	}
	var stored struct{ Calldata string }
	if json.Unmarshal(data, &stored) != nil {
		return ""
	}
	return stored.Calldata
}

// readLine handles a line of standard error and reports whether it says that an invariant
// was replayed.
func (r *replays) readLine(text []byte) bool {
	const begin = `Replayed invariant failure from "`
	_, rest, found := bytes.Cut(text, []byte(begin))
	if !found {
		return bytes.HasPrefix(text, []byte("Run `forge clean` or remove file to ignore failure"))
	}
	file, _, _ := strings.Cut(string(rest), `"`)
	if r.reported == nil {
		r.reported = map[string]bool{}
	}
	if len(r.reported) < maxReplays {
		file = strings.ReplaceAll(file, `\`, "/")
		r.reported[filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))] = true
	}
	return true
}

// wasReplayed reports whether a test's failure was replayed.
func (r *replays) wasReplayed(id sdk.TestID, t *testjson.Test) bool {
	_, contract, _ := selection.Split(id.Suite)
	name, _, _ := strings.Cut(id.Test, "(")
	key := contract + "/" + name
	if t.Kind.Name == "Invariant" {
		return r.reported[key]
	}
	input := r.inputs[key]
	return input != "" && t.Kind.Name == "Fuzz" && len(t.Counterexample) > 0 && t.Counterexample[0].Calldata == input && t.Kind.Runs == 0
}
