package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// damages are what may have happened to an installed plugin, and the messages.
func damages() map[string]struct {
	do     func(Installed) error
	reason string
} {
	replace := func(i Installed, file, content string) error {
		path := filepath.Join(i.Dir, file)
		return errors.Join(os.Remove(path), os.WriteFile(path, []byte(content), 0o444))
	}
	aside := func(path string) error {
		return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
	}
	type damage = struct {
		do     func(Installed) error
		reason string
	}
	all := map[string]damage{
		"no manifest":     {func(i Installed) error { return os.Remove(filepath.Join(i.Dir, manifest.File)) }, "it is missing"},
		"no receipt":      {func(i Installed) error { return os.Remove(filepath.Join(i.Dir, ReceiptFile)) }, "it is missing"},
		"no binary":       {func(i Installed) error { return os.Remove(i.Path) }, "it is missing"},
		"nothing":         {func(i Installed) error { return errors.Join(os.RemoveAll(i.Dir), os.Mkdir(i.Dir, 0o700)) }, "it is missing"},
		"half a manifest": {func(i Installed) error { return replace(i, manifest.File, `{"schema": 1,`) }, ""},
		"another's manifest": {func(i Installed) error {
			return replace(i, manifest.File, string(describe("9.9.9", "program").Encode()))
		}, "it is the manifest of tap 9.9.9"},
		"another binary's manifest": {func(i Installed) error {
			return replace(i, manifest.File, string(describe(version, "other").Encode()))
		}, "it is for a binary with the hash"},
		"a manifest for elsewhere": {func(i Installed) error {
			m := describe(version, "program")
			m.Platforms = map[manifest.Platform]manifest.Binary{"plan9_mips": {Bin: "proctor-plugin-tap", SHA256: sum("program")}}
			return replace(i, manifest.File, string(m.Encode()))
		}, "no binary for"},
		"a long manifest":    {func(i Installed) error { return replace(i, manifest.File, strings.Repeat(" ", manifest.MaxSize+1)) }, "more than"},
		"half a receipt":     {func(i Installed) error { return replace(i, ReceiptFile, `{"schema":1`) }, "not a receipt"},
		"a newer receipt":    {func(i Installed) error { return replace(i, ReceiptFile, `{"schema":2}`) }, "upgrade proctor"},
		"an empty receipt":   {func(i Installed) error { return replace(i, ReceiptFile, `{"schema":1}`) }, "it is for a binary with the hash"},
		"a long receipt":     {func(i Installed) error { return replace(i, ReceiptFile, strings.Repeat(" ", maxReceipt+1)) }, "more than"},
		"a binary directory": {func(i Installed) error { return errors.Join(os.Remove(i.Path), os.Mkdir(i.Path, 0o700)) }, "not a regular file"},
	}
	if runtime.GOOS == "windows" {
		return all
	}
	for what, d := range map[string]damage{
		"a linked platform": {func(i Installed) error { return aside(i.Dir) }, "not a directory"},
		"a linked version":  {func(i Installed) error { return aside(filepath.Dir(i.Dir)) }, "not a directory"},
		"a linked name":     {func(i Installed) error { return aside(filepath.Dir(filepath.Dir(i.Dir))) }, "not a directory"},
		"a linked binary":   {func(i Installed) error { return aside(i.Path) }, "not a regular file"},
		"a linked manifest": {func(i Installed) error { return aside(filepath.Join(i.Dir, manifest.File)) }, "not a regular file"},
		"a linked receipt":  {func(i Installed) error { return aside(filepath.Join(i.Dir, ReceiptFile)) }, "not a regular file"},
		"an open binary":    {func(i Installed) error { return os.Chmod(i.Path, 0o757) }, "chmod go-w"},
		"a group's binary":  {func(i Installed) error { return os.Chmod(i.Path, 0o575) }, "chmod go-w"},
		"an open manifest":  {func(i Installed) error { return os.Chmod(filepath.Join(i.Dir, manifest.File), 0o666) }, "chmod go-w"},
		"an open directory": {func(i Installed) error { return os.Chmod(i.Dir, 0o777) }, "chmod go-w"},
		"an open version":   {func(i Installed) error { return os.Chmod(filepath.Dir(i.Dir), 0o770) }, "chmod go-w"},
		"an open store": {func(i Installed) error {
			return os.Chmod(filepath.Dir(filepath.Dir(filepath.Dir(i.Dir))), 0o777)
		}, "chmod go-w"},
		"a binary that is no program": {func(i Installed) error { return os.Chmod(i.Path, 0o444) }, "not executable"},
	} {
		all[what] = d
	}
	if os.Geteuid() == 0 {
		all["another's binary"] = damage{func(i Installed) error { return os.Chown(i.Path, 65534, 65534) }, "another user"}
	}
	return all
}

func TestWhatIsNotWholeIsNeitherUsedNorHealedAndCanBeRemoved(t *testing.T) {
	for what, d := range damages() {
		s := open(t)
		got := mustInstall(t, s, version, "program")
		if err := d.do(got); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var damaged *DamagedError
		if _, err := s.Lookup(name, version); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if damaged.Name != name || damaged.Version != version || !strings.Contains(damaged.Reason, d.reason) {
			t.Errorf("%s: %+v, want %q", what, damaged, d.reason)
		}
		found, rejected, err := s.List(t.Context())
		if len(found) != 0 || len(rejected) == 0 || err != nil {
			t.Errorf("%s: %v, %v, %v", what, found, rejected, err)
		}
		if what == "an open store" || strings.HasPrefix(what, "a linked name") || strings.HasPrefix(what, "a linked version") {
			continue
		}
		damaged = nil
		if _, err := install(t.Context(), s, version, "program", receipt()); !errors.As(err, &damaged) {
			t.Errorf("%s: it was installed over: %v", what, err)
		}
		if err := remove(t.Context(), s, version); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := os.Lstat(got.Dir); err == nil {
			t.Errorf("%s: it is still there", what)
		}
	}
}

func TestWhatDoesNotBelongIntoTheStoreIsListedWithTheReason(t *testing.T) {
	s := open(t)
	mustInstall(t, s, version, "program")
	for path, dir := range map[string]bool{
		"Tap/1.0.0/linux_amd64": true, "tap/v1/linux_amd64": true, "tap/1.2.3/plan9_mips": true,
		"tap/1.2.3/README.md": false, "notes": false, ".hidden": false, "empty/1.0.0": true,
	} {
		path = filepath.Join(s.dir, filepath.FromSlash(path))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if dir {
			err = errors.Join(err, os.MkdirAll(path, 0o700))
		} else {
			err = errors.Join(err, os.WriteFile(path, nil, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	found, rejected, err := s.List(t.Context())
	if len(found) != 1 || err != nil {
		t.Error(found, err)
	}
	got := map[string]string{}
	for _, r := range rejected {
		rel, _ := filepath.Rel(s.dir, r.Path)
		got[filepath.ToSlash(rel)] = r.Reason
	}
	want := map[string]string{
		"Tap": "it does not have the name of a plugin", "tap/v1": "it does not have the name of a version",
		"tap/1.2.3/plan9_mips": "it is for plan9_mips, and this is " + string(manifest.ThisPlatform()),
		"tap/1.2.3/README.md":  "it does not have the name of a platform", "notes": "it is not a directory",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNamesThatArePathsAreNotLookedUp(t *testing.T) {
	s := open(t)
	mustInstall(t, s, version, "program")
	for _, try := range [][2]string{{"../plugins/tap", version}, {name, "../" + version}, {"", version}, {name, ""}, {name, "."}, {".staging", version}, {name, "1.2.3\x00"}} {
		var missing *NotInstalledError
		if _, err := s.Lookup(try[0], try[1]); !errors.As(err, &missing) {
			t.Errorf("%q: %v", try, err)
		}
		if err := s.Remove(t.Context(), try[0], try[1]); !errors.As(err, &missing) {
			t.Errorf("%q: %v", try, err)
		}
	}
	checkWhole(t, s, version)
}
