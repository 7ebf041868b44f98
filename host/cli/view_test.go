package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// begins is what stands on standard error when a run of these commands begins.
func begins(verbose bool, commands ...[]string) string {
	var stderr bytes.Buffer
	v := &view{app: &app{env: environment{Stderr: &stderr}, verbose: verbose}}
	run := api.Run{Language: "node", Workspace: "/w"}
	for _, argv := range commands {
		run.Commands = append(run.Commands, api.Command{Argv: argv, Dir: "."})
	}
	v.showStart(run)
	return stderr.String()
}

func TestARunBeginsWithItsCommandsForAReader(t *testing.T) {
	node := []string{"/usr/bin/node", "--test", "--reporter={scratch}/reporter-673adedef483bb90.mjs", "a b.mjs"}
	if got, want := begins(false, node, []string{"go", "test"}), "proctor: node in /w: node --test --reporter={scratch}/… 'a b.mjs'; go test\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if got, want := begins(true, node), "proctor: node in /w: /usr/bin/node --test '--reporter={scratch}/reporter-673adedef483bb90.mjs' 'a b.mjs'\n"; got != want {
		t.Errorf("verbose:\ngot  %swant %s", got, want)
	}
	if got := begins(false, []string{"x", strings.Repeat("y", 1000)}); len(got) > 300 {
		t.Errorf("%d bytes of one command", len(got))
	}
}

func TestARunWithoutACommandSaysSoWhereItWouldStand(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		if got, want := begins(verbose), "proctor: node in /w: there is no command to run\n"; got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
}
