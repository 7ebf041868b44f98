package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

func TestWhatIsNotAPluginIsNotPublished(t *testing.T) {
	program := manifest.BinaryName(name, manifest.ThisPlatform())
	good := describe(version, "program")
	write := func(name, content string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644) }
	}
	lacking := good
	lacking.Platforms = map[manifest.Platform]manifest.Binary{"plan9_mips": {Bin: program, SHA256: sum("program")}}
	unnamed := good
	unnamed.Name = "../tap"
	type change = func(dir string) error
	cases := map[string]struct {
		manifest manifest.Manifest
		change   change
		reason   string
	}{
		"another file":         {good, write("README.md", ""), "and nothing else"},
		"a receipt":            {good, write(ReceiptFile, "{}"), "and nothing else"},
		"a directory":          {good, func(dir string) error { return os.Mkdir(filepath.Join(dir, "lib"), 0o700) }, "and nothing else"},
		"no manifest":          {good, func(dir string) error { return os.Remove(filepath.Join(dir, manifest.File)) }, "missing"},
		"no binary":            {good, func(dir string) error { return os.Remove(filepath.Join(dir, program)) }, "missing"},
		"a broken manifest":    {good, write(manifest.File, "{"), manifest.File},
		"a different manifest": {good, write(manifest.File, string(describe("9.9.9", "program").Encode())), "not the manifest that was resolved"},
		"another platform":     {lacking, write(manifest.File, string(lacking.Encode())), "no binary for"},
		"an invalid name":      {unnamed, nil, "name"},
		"no manifest given":    {manifest.Manifest{}, nil, "schema"},
	}
	if runtime.GOOS != "windows" {
		replace := func(f func(old, path string) error) change {
			return func(dir string) error {
				path, old := filepath.Join(dir, program), filepath.Join(filepath.Dir(filepath.Dir(dir)), ".outside")
				return errors.Join(os.Rename(path, old), f(old, path))
			}
		}
		cases["a linked binary"] = struct {
			manifest manifest.Manifest
			change   change
			reason   string
		}{good, replace(os.Symlink), "not a regular file"}
		cases["a binary with two names"] = struct {
			manifest manifest.Manifest
			change   change
			reason   string
		}{good, replace(os.Link), "one name only"}
	}
	for what, tc := range cases {
		s := open(t)
		stage, err := s.Stage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := fill(stage, good, "program"); err != nil {
			t.Fatal(err)
		}
		if tc.change != nil {
			if err := tc.change(stage); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Publish(t.Context(), stage, tc.manifest, receipt()); err == nil || !strings.Contains(err.Error(), " is not installed: ") || !strings.Contains(err.Error(), tc.reason) {
			t.Errorf("%s: %v, want %q", what, err, tc.reason)
		}
		if err := s.Discard(stage); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		checkWhole(t, s)
	}
}

func TestABinaryThatIsNotWhatWasMeantIsNotPublished(t *testing.T) {
	r := receipt()
	for what, tc := range map[string]struct{ content, bin, expected, by string }{
		"the manifest": {"other", "", "sha256:" + sum("program"), "manifest.json, " + string(manifest.ThisPlatform())},
		"the index":    {"program", "sha256:" + sum("indexed"), "sha256:" + sum("indexed"), "what was resolved"},
	} {
		s := open(t)
		stage, err := s.Stage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m := describe(version, "program")
		if err := fill(stage, m, tc.content); err != nil {
			t.Fatal(err)
		}
		r.Bin = tc.bin
		var wrong *ChecksumError
		if _, err := s.Publish(t.Context(), stage, m, r); !errors.As(err, &wrong) {
			t.Fatalf("%s: %v", what, err)
		}
		want := ChecksumError{name, version, filepath.Join(stage, m.Platforms[manifest.ThisPlatform()].Bin), tc.expected, "sha256:" + sum(tc.content), tc.by}
		if diff := cmp.Diff(want, *wrong); diff != "" {
			t.Error(diff)
		}
		checkWhole(t, s)
	}
}

func TestOnlyWhatWasStagedIsPublished(t *testing.T) {
	s := open(t)
	mustInstall(t, s, version, "program")
	elsewhere := filepath.Join(t.TempDir(), "x")
	link := filepath.Join(s.dir, stagingDir, strings.Repeat("A", 26))
	if err := errors.Join(os.Mkdir(elsewhere, 0o700), fill(elsewhere, describe("2.0.0", "program"), "program"), os.Symlink(elsewhere, link)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{elsewhere, link, s.dir, filepath.Join(s.dir, stagingDir), ""} {
		if _, err := s.Publish(t.Context(), dir, describe("2.0.0", "program"), receipt()); err == nil || !strings.Contains(err.Error(), " is not installed: ") {
			t.Errorf("%s: %v", dir, err)
		}
		if dir != link && s.Discard(dir) == nil {
			t.Errorf("%s was removed", dir)
		}
	}
	checkWhole(t, s, version)
}

func TestAManifestOfANewerFormatStaysAsItsAuthorWroteIt(t *testing.T) {
	s := open(t)
	stage, err := s.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := describe(version, "program")
	text := strings.Replace(string(m.Encode()), "{", `{"later": "field",`, 1)
	if err := errors.Join(fill(stage, m, "program"), os.WriteFile(filepath.Join(stage, manifest.File), []byte(text), 0o600), os.Remove(filepath.Join(stage, LicenseFile))); err != nil {
		t.Fatal(err)
	}
	got, err := s.Publish(t.Context(), stage, m, receipt())
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(got.Dir, manifest.File)); string(data) != text || err != nil {
		t.Errorf("%s, %v", data, err)
	}
}

func TestACancelledPublishInstallsNothing(t *testing.T) {
	for _, step := range []string{"checked", "receipt", "synced", ""} {
		s := open(t)
		stage, err := s.Stage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m := describe(version, "program")
		if err := fill(stage, m, "program"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s.step = func(at string) {
			if at == step {
				cancel()
			}
		}
		if step == "" {
			cancel()
		}
		if _, err := s.Publish(ctx, stage, m, receipt()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", step, err)
		}
		cancel()
		if err := s.Discard(stage); err != nil {
			t.Error(err)
		}
		checkWhole(t, s)
	}
}

func TestEverythingIsOnDiskBeforeItHasItsName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("directories cannot be synced there")
	}
	s := open(t)
	var did []string
	s.step = func(at string) { did = append(did, "step "+at) }
	s.sync = func(f *os.File) error {
		did = append(did, f.Name())
		return f.Sync()
	}
	stage, err := s.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := describe(version, "program")
	if err := fill(stage, m, "program"); err != nil {
		t.Fatal(err)
	}
	got, err := s.Publish(t.Context(), stage, m, receipt())
	if err != nil {
		t.Fatal(err)
	}
	renamed := slices.Index(did, "step renamed")
	for _, file := range []string{manifest.File, filepath.Base(got.Path), LicenseFile, ""} {
		if at := slices.Index(did, filepath.Join(stage, file)); at < 0 || at > renamed {
			t.Errorf("%q is not synced before the rename: %q", file, did)
		}
	}
	for dir := filepath.Dir(got.Dir); ; dir = filepath.Dir(dir) {
		if !slices.Contains(did[renamed:], dir) {
			t.Errorf("%s is not synced after the rename: %q", dir, did)
		}
		if dir == s.dir {
			break
		}
	}
}
