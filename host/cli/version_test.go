package cli

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
)

func TestVersionNamesTheCommitAndUncommittedChanges(t *testing.T) {
	t.Parallel()
	end := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + ", plugin protocol 1\n"
	clean := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "false"}}
	changed := append(clean[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	const unknown = "proctor (devel)\ncommit not recorded: built outside a git checkout, or with -buildvcs=false\n"
	for want, build := range map[string]*debug.BuildInfo{
		unknown: nil,
		"proctor v1\ncommit abc of 2026-01-02T03:04:05Z\n":                            {Main: debug.Module{Version: "v1"}, Settings: clean},
		"proctor v1\ncommit abc of 2026-01-02T03:04:05Z, with uncommitted changes\n":  {Main: debug.Module{Version: "v1"}, Settings: changed},
		"proctor v2\ncommit not recorded: built from the published module, h1:abc=\n": {Main: debug.Module{Version: "v2", Sum: "h1:abc="}},
	} {
		if got := render.Version(describeBuild(build)); got != want+end {
			t.Errorf("got %q, want %q", got, want+end)
		}
	}
	w := newModule(t, nil)
	w.proctor("version").expect(t, 0, "proctor ", end)
	var v api.Version
	r := w.proctor("version", "--json")
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil || v.Schema != "proctor.version/v1" || v.OS != runtime.GOOS || v.Protocol != 1 {
		t.Errorf("%v: %s", err, r.stdout)
	}
	if r := w.proctor("--version"); r.stdout != "proctor version "+v.Version+"\n" {
		t.Errorf("--version prints %q", r.stdout)
	}
}
