package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asPlugin makes this test binary the plugin.
const asPlugin = "TEST_AS_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestThePluginAnswersWhoeverStartsIt(t *testing.T) {
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, args, says string
		fails            bool
	}{
		{"a person", "", "proctor's plugin for go tests", true},
		{"a person who wants the version", "--version", "proctor-plugin-go ", false},
		{"the go command, without a rerun", "exec-helper /bin/true -test.run=^$", "proctor starts this program in reruns", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), executable, strings.Fields(test.args)...)
			cmd.Env = append(os.Environ(), asPlugin+"=1")
			output, err := cmd.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(output), test.says) {
				t.Errorf("error %v, output %q; want %q", err, output, test.says)
			}
		})
	}
}
