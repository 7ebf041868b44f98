package plugin

import (
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

func TestScaffoldsAreChecked(t *testing.T) {
	file := func(path string) sdk.Scaffold { return sdk.Scaffold{Files: []sdk.SourceFile{{Path: path}}} }
	link := func(path, target string) sdk.Scaffold {
		return sdk.Scaffold{Links: []sdk.Link{{Path: path, Target: target}}}
	}
	for name, c := range map[string]struct {
		scaffold sdk.Scaffold
		field    string
	}{
		"nothing":              {sdk.Scaffold{}, ""},
		"a file":               {file("a/b.toml"), ""},
		"a file elsewhere":     {file("../b.toml"), "files[0].path"},
		"an absolute file":     {file("/etc/passwd"), "files[0].path"},
		"a file without name":  {file(""), "files[0].path"},
		"a link":               {link("lib/a", "/home/me/a"), ""},
		"a link elsewhere":     {link("..", "/home/me/a"), "links[0].path"},
		"a link to a relation": {link("lib/a", "home"), "links[0].target"},
		"a link to all":        {link("lib/a", "/"), "links[0].target"},
		"an unclean link":      {link("lib/a", "/home/../etc"), "links[0].target"},
		"all is readable":      {sdk.Scaffold{Readable: []string{"/"}}, "readable[0]"},
		"code is preloaded":    {sdk.Scaffold{Env: map[string]string{"LD_PRELOAD": "x"}}, `env["LD_PRELOAD"]`},
		"too many links":       {sdk.Scaffold{Links: make([]sdk.Link, maxScaffold+1)}, "files"},
	} {
		field := ""
		if v := checkScaffold(c.scaffold); v != nil {
			field = v.field
		}
		if field != c.field {
			t.Errorf("%s: violation in %q, want %q", name, field, c.field)
		}
	}
}

func TestProbesAndFlagsAreChecked(t *testing.T) {
	probe := func(p sdk.Probe) sdk.Description { return sdk.Description{Probes: []sdk.Probe{p}} }
	for name, c := range map[string]struct {
		description sdk.Description
		field       string
	}{
		"good":              {sdk.Description{RunnerFlags: []sdk.RunnerFlag{{Name: "--evm"}}, Probes: []sdk.Probe{{Name: "v", Argv: []string{"x"}}}}, ""},
		"no flag":           {sdk.Description{RunnerFlags: []sdk.RunnerFlag{{Name: "evm"}}}, "runner_flags[0]"},
		"a flag with value": {sdk.Description{RunnerFlags: []sdk.RunnerFlag{{Name: "--evm=1"}}}, "runner_flags[0]"},
		"tool directories":  {sdk.Description{ToolDirs: []string{"~/.tool/bin", "/opt/tool"}}, ""},
		"aliases":           {sdk.Description{Aliases: []string{"foundry", "c++"}}, ""},
		"an alias of words": {sdk.Description{Aliases: []string{"ok", "the tool"}}, "aliases[1]"},
		"a relative one":    {sdk.Description{ToolDirs: []string{"bin"}}, "tool_dirs[0]"},
		"out of the home":   {sdk.Description{ToolDirs: []string{"~/../bin"}}, "tool_dirs[0]"},
		"no name":           {probe(sdk.Probe{Argv: []string{"x"}}), "probes[0].name"},
		"no program":        {probe(sdk.Probe{Name: "v"}), "probes[0].argv"},
		"preloaded code":    {probe(sdk.Probe{Name: "v", Argv: []string{"x"}, Env: map[string]string{"LD_PRELOAD": "x"}}), `probes[0].env["LD_PRELOAD"]`},
		"too many":          {sdk.Description{Probes: make([]sdk.Probe, maxProbes+1)}, "probes"},
	} {
		id := client.Identity{Description: c.description}
		id.Name, id.Version, id.Language = "toy", "1.0.0", "toy"
		field := ""
		if v := checkIdentity(id, "toy"); v != nil {
			field = v.field
		}
		if field != c.field {
			t.Errorf("%s: violation in %q, want %q", name, field, c.field)
		}
	}
}
