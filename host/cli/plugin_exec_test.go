package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
	recorded "github.com/proctorhq/proctor/sdk/plugintest/golden"
)

func TestAPluginCanBeCalledByHand(t *testing.T) {
	t.Parallel()
	w := checkedModule(t)
	goPlugin := testbin.Path("proctor-plugin-go")
	for _, c := range []struct{ args, says []string }{
		{[]string{"describe"}, []string{`"name":"go"`, `"CAPABILITY_LIST"`}},
		{[]string{"detect", "-C", w.dir}, []string{`{"detected":true,`}},
		{[]string{"testcmd", "-C", w.dir}, []string{`"-json"`, `"./..."`}},
		{[]string{"rerun", "-C", w.dir, "example.com/m", "TestDiff"}, []string{"TestDiff", "-run"}},
		{[]string{"list", "-C", w.dir}, []string{`"list"`}},
	} {
		w.proctor(append([]string{"plugin", "exec", goPlugin}, c.args...)...).expect(t, 0, c.says...)
	}
}

func TestEachEventIsPrintedOnItsOwnLine(t *testing.T) {
	t.Parallel()
	w := checkedModule(t)
	r := w.proctor("plugin", "exec", testbin.Path("proctor-plugin-go"), "parse", "--case", filepath.Join(recordedCases(t), "red"))
	kinds := map[string]int{}
	for line := range strings.Lines(r.stdout) {
		var event map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &event); err != nil || len(event) != 1 {
			t.Fatalf("%v: %s", err, line)
		}
		for kind := range event {
			kinds[kind]++
		}
	}
	if r.code != 0 || kinds["test"] != 5 || kinds["failure"] != 2 || kinds["suite"] != 1 {
		t.Errorf("exit %d, %v: %s", r.code, kinds, r.stderr)
	}
}

func TestAPrintedWantMatchesItsCase(t *testing.T) {
	t.Parallel()
	w := checkedModule(t)
	dir := filepath.Join(recordedCases(t), "red")
	r := w.proctor("plugin", "exec", testbin.Path("proctor-plugin-go"), "parse", "--want", "--case", dir)
	var printed recorded.Want
	if err := json.Unmarshal([]byte(r.stdout), &printed); err != nil || len(printed.Tests) != 5 {
		t.Fatalf("%v: %s%s", err, r.stdout, r.stderr)
	}
}

// TestAWantIsPrintedIntoItsOwnFile is what a shell does: the file is empty before
// the plugin starts.
func TestAWantIsPrintedIntoItsOwnFile(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"case/stdout": "", "case/want.json": ""})
	w.proctor("plugin", "exec", testbin.Path("proctor-plugin-go"), "parse", "--want", "--case", "case").expect(t, 0, `"counts"`)
}

func TestProbesAreExecutedBeforeACall(t *testing.T) {
	t.Parallel()
	w := newFoundry(t, files{"foundry.toml": "[profile.default]\nsolc = \"0.8.30\"\noffline = true\nmatch_test = \"chosen\"\n"})
	// Only the probe knows of a filter in the configuration.
	w.proctor("plugin", "exec", testbin.Path("proctor-plugin-forge"), "testcmd", "-C", w.dir).expect(t, 0, `match_test = \"chosen\"`)
}

func TestAnOutputOnStandardInputIsParsed(t *testing.T) {
	t.Parallel()
	w := checkedModule(t)
	cmd := w.command("plugin", "exec", testbin.Path("proctor-plugin-go"), "parse", "--exit-code", "1")
	cmd.Stdin = strings.NewReader(`{"Action":"run","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestA"}` + "\n")
	w.wait(cmd).expect(t, 0, `"STATUS_FAILED"`, `{"failure":`)
}

func TestAnUnknownCallIsRefused(t *testing.T) {
	t.Parallel()
	w := checkedModule(t)
	w.proctor("plugin", "exec", testbin.Path("proctor-plugin-go"), "dance").expect(t, exitUsage, "dance", "testcmd")
	w.proctor("plugin", "exec", testbin.Path("proctor-plugin-go"), "rerun", "s").expect(t, exitUsage, "2 further arguments")
	w.proctor("plugin", "exec", fakePlugin(t, fakeMute), "describe").expect(t, exitTool, "handshake")
	w.write(files{"boom": "#!/bin/sh\necho BOOM >&2\nexit 1\n"})
	if err := os.Chmod(filepath.Join(w.dir, "boom"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.proctor("plugin", "exec", "./boom", "describe").expect(t, exitTool, "exit status 1", "on standard error: BOOM")
}
