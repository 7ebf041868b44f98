package forge_test

import (
	"context"
	"testing"

	"github.com/proctorhq/proctor/plugins/forge"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

func TestForgesMessagesAboutItsArgumentsAreRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		argv   []string
		stderr string
		code   int
		want   string
	}{
		"an option":       {[]string{"--nosuch"}, "error: unexpected argument '--nosuch' found\n\nUsage: forge test --json [PATH]\n\nFor more information, try '--help'.\n", 2, "unexpected argument '--nosuch' found"},
		"a value":         {[]string{"--fuzz-seed", "z"}, "error: invalid value 'z' for '--fuzz-seed <FUZZ_SEED>': digit 35 is out of range\n\nFor more information, try '--help'.\n", 2, "invalid value 'z' for '--fuzz-seed <FUZZ_SEED>': digit 35 is out of range"},
		"a compiler":      {[]string{"--use", "9.9"}, "Error: `solc` 9.9 does not exist\n", 1, "`solc` 9.9 does not exist"},
		"one not there":   {[]string{"--use", "0.8.11"}, "Error: can't install missing solc 0.8.11 in offline mode\n", 1, "can't install missing solc 0.8.11 in offline mode"},
		"the project's":   {nil, "Error: `solc` 9.9 does not exist\n", 1, ""},
		"a configuration": {[]string{"--nosuch"}, "Error: failed to extract foundry config:\nfoundry.toml error\n", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got plugintest.Events
			run := sdk.RunInfo{Command: sdk.Command{Argv: append([]string{"forge", "test", "--json"}, c.argv...)}}
			p := forge.New(forge.Config{}).ParseTestFailures(context.Background(), run, &got)
			p.Write(sdk.Stderr, []byte(c.stderr))
			p.Close(sdk.Exit{Code: c.code})
			words := ""
			for _, r := range got.Refusals {
				words += r.Words
			}
			if words != c.want || len(got.Failures)+len(got.RunErrors) == 0 {
				t.Errorf("refused is %q, want %q; failures %v, errors %q", words, c.want, got.Failures, got.RunErrors)
			}
		})
	}
}
