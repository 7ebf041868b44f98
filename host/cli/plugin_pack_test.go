package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

const (
	packManifest = `{"schema": 1, "name": "foreign", "version": "1.0.0", "protocols": [1], "detect": {"any_file": ["go.mod"]}}`
	thisPlatform = runtime.GOOS + "_" + runtime.GOARCH
)

func TestPackAsksTheProgramWhoItIs(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{
		"manifest.json":   packManifest,
		"other/name.json": `{"schema": 1, "name": "domestic", "version": "1.0.0", "protocols": [1], "detect": {}}`,
		"other/next.json": `{"schema": 1, "name": "foreign", "version": "1.1.0", "protocols": [1], "detect": {}}`,
		"other/no-plugin": "#!/bin/sh\nexit 1\n",
		// Not the program itself, which is large.
		"other/plugin": "#!/bin/sh\nexec " + fakePlugin(t, fakeForeign) + "\n",
	})
	for _, name := range []string{"no-plugin", "plugin"} {
		if err := os.Chmod(filepath.Join(w.dir, "other", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := thisPlatform + "=other/plugin"
	w.proctor("plugin", "pack", "--bin", program, "--out", "dist", "--manifest", "other/name.json").expect(t, exitTool, `its name is "foreign"`)
	w.proctor("plugin", "pack", "--bin", program, "--out", "dist", "--manifest", "other/next.json").expect(t, exitTool, `its version is "1.0.0"`)
	w.proctor("plugin", "pack", "--bin", thisPlatform+"=other/no-plugin", "--out", "dist").expect(t, exitTool, "proctor plugin check")
	if _, err := os.Stat(filepath.Join(w.dir, "dist")); err == nil {
		t.Error("something was written")
	}
	w.proctor("plugin", "pack", "--bin", program, "--out", "dist").expect(t, 0, "dist/foreign/1.0.0/manifest.json", "the archives have no license")
}

func TestPackWithoutAProgramForThisPlatformSaysSo(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"manifest.json": packManifest, "LICENSE": "MIT\n", "program": "text"})
	w.proctor("plugin", "pack", "--bin", "plan9_mips=program", "--out", "dist").expect(t, 0, "none was compared with the manifest", "dist/index.json")
	w.write(files{"dist/index.json.minisig": "belongs to the previous index"})
	w.proctor("plugin", "pack", "--bin", "plan9_arm=program", "--out", "dist").expect(t, 0, "dist/index.json.minisig belongs to the previous index")
	w.write(files{"program": "another text"})
	w.proctor("plugin", "pack", "--bin", "plan9_mips=program", "--out", "dist").expect(t, exitTool, "another version", "published  sha256:")
}

func TestAScriptIsPackedForEveryUnix(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"manifest.json": packManifest, "LICENSE": "MIT\n", "script": "#!/bin/sh\nexec " + fakePlugin(t, fakeForeign) + "\n", "program": "\x7fELF"})
	if err := os.Chmod(filepath.Join(w.dir, "script"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.proctor("plugin", "pack", "--bin", "unix=program", "--out", "dist").expect(t, exitUsage, "is not a script", "linux_amd64")
	w.proctor("plugin", "pack", "--bin", "unix=script", "--bin", "linux_arm64=script", "--out", "dist").expect(t, exitUsage, "two programs for linux_arm64")
	w.proctor("plugin", "pack", "--bin", "unix=script", "--out", "dist").expect(t, 0,
		"foreign_1.0.0_linux_amd64.tar.gz", "foreign_1.0.0_linux_arm64.tar.gz", "foreign_1.0.0_darwin_amd64.tar.gz", "foreign_1.0.0_darwin_arm64.tar.gz")
}

func TestPackRefusesMisuse(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"manifest.json": packManifest, "program": "text"})
	for text, args := range map[string][]string{
		"name the programs": {"--out", "dist"},
		"PLATFORM=PATH":     {"--out", "dist", "--bin", "program"},
		"two programs":      {"--out", "dist", "--bin", "plan9_mips=program", "--bin", "plan9_mips=program"},
	} {
		w.proctor(append([]string{"plugin", "pack"}, args...)...).expect(t, exitUsage, text)
	}
}
