//go:build unix

package plugin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/store"
)

func detects(file string) func(*manifest.Manifest, *store.Receipt) {
	return func(m *manifest.Manifest, _ *store.Receipt) { m.Detect.AnyFile = []string{file} }
}

func namesOf(candidates []Candidate) (names []string) {
	for _, c := range candidates {
		names = append(names, c.Name)
	}
	return names
}

func TestAPluginWaitsForADirectoryWithItsFiles(t *testing.T) {
	i := newInstallation(t)
	install(t, filepath.Join(filepath.Dir(i.config.Executable), "proctor-plugin-go"), 0o755)
	i.lock(i.user, map[string]lock.Entry{
		"lua": i.add("lua", "1.0.0", "#!/bin/sh\n", detects("lua.toml")),
		"any": i.add("any", "1.0.0", "#!/bin/sh\n", nil),
	})
	m := Match(find(t, i.config).Candidates, nil, nil)
	if got := namesOf(m.Start); !slices.Equal(got, []string{"any", "go"}) || !slices.Equal(m.Files(), []string{"lua.toml"}) {
		t.Errorf("%v %v", got, m.Files())
	}
	if later, err := m.In(i.config.Dir); err != nil || len(later) != 0 {
		t.Errorf("%v %v", later, err)
	}
	if err := os.WriteFile(filepath.Join(i.config.Dir, "lua.toml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if later, err := m.In(i.config.Dir); err != nil || !slices.Equal(namesOf(later), []string{"lua"}) {
		t.Errorf("%v %v", later, err)
	}
}

func TestABadPluginOfTheUsersLockFileStopsOnlyItsOwnProjects(t *testing.T) {
	i := newInstallation(t)
	entry := i.add("lua", "1.0.0", "#!/bin/sh\n", func(m *manifest.Manifest, r *store.Receipt) {
		detects("lua.toml")(m, r)
		m.Protocols = []int{99}
	})
	i.lock(i.user, map[string]lock.Entry{"lua": entry})
	found := find(t, i.config)
	m := Match(found.Candidates, found.Refused, nil)
	if later, err := m.In(i.config.Dir); err != nil || len(later) != 0 || !found.Refused[0].Waits() {
		t.Errorf("elsewhere: %v %v", later, err)
	}
	if err := os.WriteFile(filepath.Join(i.config.Dir, "lua.toml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := m.In(i.config.Dir); err == nil || !strings.Contains(err.Error(), "protocol") {
		t.Errorf("in its project: %v", err)
	}
	i.lock(i.project, map[string]lock.Entry{"lua": entry})
	if found := find(t, i.config); found.Refused[0].Waits() {
		t.Error("what the project names, it needs")
	}
}

func TestLockFilesCountAlsoWhereNoStoreIsKnown(t *testing.T) {
	i := newInstallation(t)
	install(t, filepath.Join(filepath.Dir(i.config.Executable), "proctor-plugin-tap"), 0o755)
	i.lock(i.project, map[string]lock.Entry{"tap": i.add("tap", "1.0.0", "#!/bin/sh\n", nil)})
	i.config.Store, i.config.UserLock = nil, ""
	_, err := find(t, i.config).Lookup("tap")
	if err == nil || !strings.Contains(err.Error(), "set HOME") {
		t.Errorf("got %v", err)
	}
}

func TestWhatAProjectTakesFromTheUserIsReported(t *testing.T) {
	i := newInstallation(t)
	install(t, filepath.Join(filepath.Dir(i.config.Executable), "proctor-plugin-go"), 0o755)
	older, newer := i.add("tap", "1.0.0", "#!/bin/sh\n# 1", nil), i.add("tap", "2.0.0", "#!/bin/sh\n# 2", nil)
	i.lock(i.project, map[string]lock.Entry{"tap": older, "go": i.add("go", "9.0.0", "#!/bin/sh\n", nil)})
	instead := func() map[string]string {
		texts := map[string]string{}
		for _, c := range find(t, i.config).Candidates {
			texts[c.Name] = c.Lock.Instead
		}
		return texts
	}
	i.lock(i.user, map[string]lock.Entry{"tap": newer})
	if got := instead(); got["tap"] != "2.0.0 of "+i.user || got["go"] != "the one beside proctor" {
		t.Errorf("%q", got)
	}
	i.lock(i.user, map[string]lock.Entry{"tap": older})
	if got := instead(); got["tap"] != "" {
		t.Errorf("the same version: %q", got)
	}
}
