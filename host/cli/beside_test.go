package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/internal/testbin"
)

// asked tells which plugins beside proctor a run in a directory started, and what it
// said of projects below it. There is no project in the directory itself.
func asked(t *testing.T, dir, cache string, languages ...string) (plugins, said string) {
	t.Helper()
	var log bytes.Buffer
	var writing sync.Mutex // plugins say something until they are ended
	k := ledger.New(project.Config{
		Version: "1.0.0", Executable: testbin.Path("proctor"), Env: os.Environ(), Session: "s", StateHome: t.TempDir(), CacheHome: cache,
		Logger: hclog.New(&hclog.LoggerOptions{Output: &log, Mutex: &writing, Level: hclog.Trace}),
		Now:    func() time.Time { return time.Now().Add(time.Hour) }, // the binaries are not new
	})
	defer k.Close(t.Context())
	_, err := engine.Run(t.Context(), k, api.RunRequest{Where: api.Where{Dir: dir, Exact: true}, Languages: languages})
	if err == nil {
		t.Fatal("there is a project")
	}
	writing.Lock()
	defer writing.Unlock()
	for _, name := range []string{"forge", "go"} {
		if strings.Contains(log.String(), "proctor-plugin-"+name) {
			plugins += name + " "
		}
	}
	if told, ok := errors.AsType[*api.NoProjectError](err); ok {
		return plugins, told.Error()
	}
	return plugins, err.Error()
}

func TestAPluginBesideProctorIsStartedOnlyWhereItMayBeNeeded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("nothing tells binaries apart there, so all are started")
	}
	dir, cache := t.TempDir(), t.TempDir()
	for _, step := range []struct {
		name, nested string
		languages    []string
		plugins      string
	}{
		{name: "nothing is known of them", plugins: "forge go "},
		{name: "there is none of their files"},
		{name: "one below", nested: "a/b/foundry.toml", plugins: "forge "},
		{name: "named", languages: []string{"go"}, plugins: "go "},
	} {
		if step.nested != "" {
			path := filepath.Join(dir, step.nested)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		plugins, said := asked(t, dir, cache, step.languages...)
		if plugins != step.plugins || step.nested != "" && !strings.Contains(said, "a/b") {
			t.Errorf("%s: started %q, want %q; it said: %s", step.name, plugins, step.plugins, said)
		}
	}
}
