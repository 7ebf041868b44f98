package plugin

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

func TestPlansAreChecked(t *testing.T) {
	ok := func() sdk.Command { return sdk.Command{Argv: []string{"go", "test"}} }
	with := func(change func(*sdk.Command)) sdk.Plan {
		c := ok()
		change(&c)
		return sdk.Plan{Commands: []sdk.Command{ok(), c}}
	}
	env := func(name, value string) sdk.Plan {
		return with(func(c *sdk.Command) { c.Env = map[string]string{name: value} })
	}
	input := func(names ...string) sdk.Plan {
		return with(func(c *sdk.Command) {
			for _, n := range names {
				c.Inputs = append(c.Inputs, sdk.InputFile{Name: n})
			}
		})
	}
	dir := func(d string) sdk.Plan { return with(func(c *sdk.Command) { c.Dir = d }) }
	unset := func(names ...string) sdk.Plan { return with(func(c *sdk.Command) { c.UnsetEnv = names }) }
	argv := func(a ...string) sdk.Plan { return with(func(c *sdk.Command) { c.Argv = a }) }
	for name, c := range map[string]struct {
		plan  sdk.Plan
		field string
	}{
		"empty plan":            {sdk.Plan{}, ""},
		"good":                  {sdk.Plan{Commands: []sdk.Command{ok()}}, ""},
		"too many commands":     {sdk.Plan{Commands: make([]sdk.Command, maxCommands+1)}, "commands"},
		"no argv":               {argv(), "commands[1].argv"},
		"empty program":         {argv("", "x"), "commands[1].argv"},
		"empty argument":        {argv("go", ""), ""},
		"variables to remove":   {unset("A", "TOOL_*"), ""},
		"variables to keep":     {unset("TOOL_*", "!TOOL_A"), ""},
		"keep a prefix":         {unset("TOOL_*", "!TOOL_A*"), "commands[1].unset_env[1]"},
		"remove everything":     {unset("*"), "commands[1].unset_env[0]"},
		"remove no name":        {unset("A", "B=C"), "commands[1].unset_env[1]"},
		"NUL in an argument":    {argv("go", "a\x00b"), "commands[1].argv[1]"},
		"longest argument":      {argv("go", strings.Repeat("x", maxArg)), ""},
		"too long an argument":  {argv("go", strings.Repeat("x", maxArg+1)), "commands[1].argv[1]"},
		"too many arguments":    {argv(append([]string{"go"}, make([]string, maxArgs)...)...), "commands[1].argv"},
		"directory below":       {dir("a/b"), ""},
		"directory itself":      {dir("."), ""},
		"directory goes up":     {dir("../x"), "commands[1].dir"},
		"directory hides up":    {dir("a/../../x"), "commands[1].dir"},
		"absolute directory":    {dir("/etc"), "commands[1].dir"},
		"NUL in a directory":    {dir("a\x00"), "commands[1].dir"},
		"variable":              {env("GOFLAGS", "-mod=mod"), ""},
		"another variable":      {env("FOUNDRY_PROFILE", "ci"), ""},
		"PATH":                  {env("PATH", "/evil"), `commands[1].env["PATH"]`},
		"path":                  {env("Path", "/evil"), `commands[1].env["Path"]`},
		"loader":                {env("LD_LIBRARY_PATH", "x"), `commands[1].env["LD_LIBRARY_PATH"]`},
		"loader of macOS":       {env("DYLD_INSERT_LIBRARIES", "x"), `commands[1].env["DYLD_INSERT_LIBRARIES"]`},
		"git":                   {env("GIT_SSH_COMMAND", "x"), `commands[1].env["GIT_SSH_COMMAND"]`},
		"shell":                 {env("BASH_ENV", "x"), `commands[1].env["BASH_ENV"]`},
		"interpreter":           {env("NODE_OPTIONS", "x"), `commands[1].env["NODE_OPTIONS"]`},
		"name with =":           {env("A=B", "x"), `commands[1].env["A=B"]`},
		"empty name":            {env("", "x"), `commands[1].env[""]`},
		"NUL in a value":        {env("A", "x\x00"), `commands[1].env["A"]`},
		"known":                 {with(func(c *sdk.Command) { c.Known = true }), "commands[1].known"},
		"input":                 {input("overlay.json", "b"), ""},
		"input without a name":  {input(""), "commands[1].inputs[0].name"},
		"input in a directory":  {input("a/b"), "commands[1].inputs[0].name"},
		"input with backslash":  {input(`a\b`), "commands[1].inputs[0].name"},
		"input going up":        {input(".."), "commands[1].inputs[0].name"},
		"input with a drive":    {input("C:x"), "commands[1].inputs[0].name"},
		"input twice":           {input("a", "A"), "commands[1].inputs[1].name"},
		"input of a long name":  {input(strings.Repeat("n", maxFileName+1)), "commands[1].inputs[0].name"},
		"input that is too big": {with(func(c *sdk.Command) { c.Inputs = []sdk.InputFile{{Name: "a", Data: make([]byte, maxInput+1)}} }), "commands[1].inputs[0].data"},
	} {
		t.Run(name, func(t *testing.T) {
			v := planCheck(allowed{})(c.plan)
			switch {
			case v == nil && c.field != "":
				t.Errorf("accepted; want a violation of %s", c.field)
			case v != nil && v.field != c.field:
				t.Errorf("got %s: %s, want %q", v.field, v.reason, c.field)
			}
		})
	}
}

func TestDescriptionsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*client.Identity)
		field  string
	}{
		"good":                    {func(*client.Identity) {}, ""},
		"other name":              {func(id *client.Identity) { id.Name = "forge" }, "name"},
		"no version":              {func(id *client.Identity) { id.Version = "" }, "version"},
		"version of a build":      {func(id *client.Identity) { id.Version = "v0.1.0-rc.1+dirty" }, ""},
		"devel version":           {func(id *client.Identity) { id.Version = "(devel)" }, ""},
		"version with escapes":    {func(id *client.Identity) { id.Version = "1\x1b[2J" }, "version"},
		"no language":             {func(id *client.Identity) { id.Language = "" }, "language"},
		"language c#":             {func(id *client.Identity) { id.Language = "c#" }, ""},
		"marker with a directory": {func(id *client.Identity) { id.Markers = []string{"go.mod", "a/b"} }, "markers[1]"},
		"marker going up":         {func(id *client.Identity) { id.Markers = []string{".."} }, "markers[0]"},
		"tool with a path":        {func(id *client.Identity) { id.Tools = []string{"/bin/sh"} }, "tools[0]"},
		"variable pattern":        {func(id *client.Identity) { id.Env = []string{"GO*"} }, "env[0]"},
		"codes of failed tests":   {func(id *client.Identity) { id.FailedExits = []int{1, 101} }, ""},
		"a code of success":       {func(id *client.Identity) { id.FailedExits = []int{1, 0} }, "failed_exits[1]"},
		"too many":                {func(id *client.Identity) { id.Env = make([]string, maxIdentityList+1) }, "env"},
	} {
		t.Run(name, func(t *testing.T) {
			id := client.Identity{Description: sdk.Description{
				Name: "go", Version: "1.0.0", Language: "go", Markers: []string{"go.mod"}, Tools: []string{"go"}, Env: []string{"GOFLAGS"},
			}}
			c.change(&id)
			v := checkIdentity(id, "go")
			if (v == nil) != (c.field == "") || v != nil && v.field != c.field {
				t.Errorf("got %v, want %q", v, c.field)
			}
		})
	}
}

func TestLongNamesStayDifferent(t *testing.T) {
	long := strings.Repeat("n", 2*sdk.MaxName)
	a, b := boundName(long+"a"), boundName(long+"b")
	if a == b || len(a) > sdk.MaxName || len(b) > sdk.MaxName {
		t.Errorf("%d and %d bytes, equal: %v", len(a), len(b), a == b)
	}
	if short := "TestA/ü"; boundName(short) != short {
		t.Error("a short name was changed")
	}
}

func TestReproThatMayNotBeExecutedIsNotOffered(t *testing.T) {
	for _, bad := range []sdk.Command{{Argv: []string{"x"}, Dir: ".."}, {Argv: []string{"x"}, Env: map[string]string{"PATH": "."}}} {
		if f := boundFailure(sdk.Failure{Repro: bad}); f.Repro.Argv != nil {
			t.Errorf("%v is offered", bad)
		}
	}
	if f := boundFailure(sdk.Failure{Repro: sdk.Command{Argv: []string{"go", "test"}}}); f.Repro.Argv == nil {
		t.Error("a good command is not offered")
	}
}
