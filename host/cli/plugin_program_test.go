package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
)

func TestAPluginAnswersWhoeverStartsIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		who, command, says string
		fails              bool
	}{
		{"a person", "proctor-plugin-go", "proctor's plugin for go tests", true},
		{"a person who wants the version", "proctor-plugin-go --version", "proctor-plugin-go ", false},
		{"the go command, without a rerun", "proctor-plugin-go exec-helper /bin/true -test.run=^$", "proctor starts this program in reruns", true},
		{"a person", "proctor-plugin-forge", "proctor's plugin for solidity tests", true},
		{"a person who wants the version", "proctor-plugin-forge --version", "proctor-plugin-forge ", false},
	} {
		t.Run(test.command, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(test.command)
			cmd := exec.CommandContext(t.Context(), testbin.Path(words[0]), words[1:]...)
			output, err := cmd.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(output), test.says) {
				t.Errorf("to %s: error %v, output %q; want %q", test.who, err, output, test.says)
			}
		})
	}
}
