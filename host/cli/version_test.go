package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersionNamesTheCommitAndWhetherTheBuildWasOfMore(t *testing.T) {
	t.Parallel()
	end := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"
	clean := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "false"}}
	changed := append(clean[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for want, build := range map[string]*debug.BuildInfo{
		"proctor v1\n" + end: nil,
		"proctor v1\ncommit abc of 2026-01-02T03:04:05Z\n" + end:                                      {Settings: clean},
		"proctor v1\ncommit abc of 2026-01-02T03:04:05Z, with changes that are not committed\n" + end: {Settings: changed},
	} {
		if got := describeBuild("v1", build); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	w := newModule(t, nil)
	w.proctor("version").expect(t, 0, "proctor ", end)
}
