//go:build unix

package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// writeScript writes an executable file and returns its path.
func writeScript(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAPluginMayBeAScriptWithItsInterpreterOnThePath(t *testing.T) {
	bin := t.TempDir()
	real := brokenPlugin(t, "good")
	writeScript(t, filepath.Join(bin, "interpreter-of-these-tests"), fmt.Sprintf("#!/bin/sh\nexec %q\n", real))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	config := fullConfig(t, "good")
	config.Binary = writeScript(t, filepath.Join(t.TempDir(), "proctor-plugin-good"), "#!/usr/bin/env interpreter-of-these-tests\n")
	for id, r := range checkSome(t, config, "describe", "environment", "no-lifeline", "shutdown") {
		if r.Status != OK {
			t.Errorf("%s: %s %s %+v", id, r.Status, r.Reason, r.Findings)
		}
	}
}

func TestMemoryOfWhatAScriptStartsIsMeasured(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read on Linux only")
	}
	config := fullConfig(t, "hoards")
	config.Binary = writeScript(t, filepath.Join(t.TempDir(), "proctor-plugin-hoards"), fmt.Sprintf("#!/bin/sh\n%q\nexit $?\n", config.Binary))
	if r := checkSome(t, config, "memory")["memory"]; r.Status != Failed {
		t.Errorf("%s %s %q", r.Status, r.Reason, r.Notes)
	}
}

func TestProbesRunAsUnderAHost(t *testing.T) {
	t.Setenv("WITHOUT", "what the probe does not want")
	r := checkSome(t, Config{Binary: brokenPlugin(t, "probes"), Workspace: newWorkspace(t)}, "commands")["commands"]
	if r.Status != OK {
		t.Errorf("%s %s %+v %q", r.Status, r.Reason, r.Findings, r.Notes)
	}
}
