package examples_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-plugin"

	"github.com/proctorhq/proctor/internal/needs"
)

// nodeRealPackage is a third-party package that publishes its tests, which run with node
// --test and need nothing else. It is a development dependency of the plugin, so its
// content is pinned.
const nodeRealPackage = "@fastify/error"

// nodePlugin is the installed example.
type nodePlugin struct{ *installed }

func TestPluginNode(t *testing.T) {
	t.Parallel()
	needs.WholeSuite(t)
	needs.Program(t, "node")
	needs.Program(t, "npm")
	p := newNodePlugin(t)

	t.Run("passes its own tests", func(t *testing.T) {
		p.command(t, p.source, "npm", "test", "--silent")
	})
	t.Run("speaks TLS with go-plugin", p.speaksTLS)
	t.Run("passes proctor plugin check", p.passesKit)
	t.Run("finds what failed and reruns exactly that", p.exampleProject)
	t.Run("runs the tests of a third-party project", p.realProject)
	t.Run("a run in which no test passed is not a pass", p.nothingRan)
	t.Run("survives kills", p.survivesKills)
}

func (p nodePlugin) exampleProject(t *testing.T) {
	dir := t.TempDir()
	copyTree(t, "plugin-node/testdata/project", dir)
	first := p.run(t, dir, 1, "run")
	if first.Verdict != "failed" || first.Counts.Failed != 2 || len(first.Failures) != 2 {
		t.Fatalf("want two failures: %+v", first)
	}
	total, entry := first.Failures[0], first.Failures[1]
	if total.Test != "total > of nothing is nothing" || total.File != "test/ledger.test.mjs" || total.Line != 6 ||
		total.Diff.Got != "1" || total.Diff.Want != "0" || total.Kind != "assertion" {
		t.Errorf("an assertion: %+v", total)
	}
	if entry.Test != "an entry / without account has none" || entry.File != "ledger.mjs" || entry.Line != 6 ||
		!strings.HasPrefix(entry.Message, "TypeError: ") {
		t.Errorf("an exception in the project's own code: %+v", entry)
	}

	editFile(t, filepath.Join(dir, "ledger.mjs"), "entry.amount, 1)", "entry.amount, 0)")
	again := p.run(t, dir, 1, "rerun")
	want := []string{"--test-name-pattern=^an entry$", "--test-name-pattern=^of nothing is nothing$", "test/ledger.test.mjs"}
	// The host widens what failed once more, so there may be a second one.
	if len(again.Commands) == 0 || !slices.Equal(lastOf(again.Commands[0].Argv, 3), want) {
		t.Errorf("the rerun's commands: %+v", again.Commands)
	}
	if len(again.Failures) != 1 || again.Failures[0].Test != entry.Test {
		t.Errorf("what still fails: %+v", again.Failures)
	}

	editFile(t, filepath.Join(dir, "ledger.mjs"), "entry.account.owner", "entry.account?.owner")
	if last := p.run(t, dir, 0, "rerun"); last.Verdict != "passed" {
		t.Errorf("the last rerun: %+v", last)
	}
}

func (p nodePlugin) nothingRan(t *testing.T) {
	const nothingRan = 4
	for name, text := range map[string]string{
		"todo":    "import { it } from 'node:test';\nit.todo('a');\nit.todo('b', () => {});\n",
		"skipped": "import { describe, it } from 'node:test';\ndescribe('all', () => {\n  it.skip('a', () => {});\n});\n",
		"empty":   "import { describe } from 'node:test';\ndescribe('nothing inside', () => {});\n",
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "package.json"), `{"scripts": {"test": "node --test"}}`)
		writeFile(t, filepath.Join(dir, name+".test.mjs"), text)
		if r := p.run(t, dir, nothingRan, "run"); r.Counts.Passed != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func (p nodePlugin) realProject(t *testing.T) {
	dir := t.TempDir()
	copyTree(t, filepath.Join(p.source, "node_modules", filepath.FromSlash(nodeRealPackage)), dir)
	all := p.run(t, dir, 0, "run")
	if all.Verdict != "passed" || all.Counts.Passed < 25 {
		t.Fatalf("the project as it is: %+v", all)
	}

	editFile(t, filepath.Join(dir, "index.js"), "this.statusCode = statusCode", "this.statusCode = statusCode && statusCode + 1")
	red := p.run(t, dir, 1, "run")
	if len(red.Failures) == 0 || red.Counts.Failed+red.Counts.Passed != all.Counts.Passed {
		t.Fatalf("the project with a bug: %+v", red)
	}
	for _, f := range red.Failures {
		if f.File != "test/index.test.js" || f.Line == 0 || f.Diff.Got != "501" || f.Diff.Want != "500" {
			t.Errorf("a failure: %+v", f)
		}
	}

	editFile(t, filepath.Join(dir, "index.js"), "statusCode && statusCode + 1", "statusCode")
	again := p.run(t, dir, 0, "rerun")
	if again.Verdict != "passed" || again.Counts.Passed != len(red.Failures) {
		t.Errorf("a rerun of the %d failed tests: %+v", len(red.Failures), again)
	}
}

func (p nodePlugin) passesKit(t *testing.T) {
	workspace := t.TempDir()
	projects, err := filepath.Glob("plugin-node/testdata/cases/*/project")
	if err != nil || len(projects) == 0 {
		t.Fatalf("no recorded projects: %v", err)
	}
	for _, project := range projects {
		copyTree(t, project, workspace)
	}
	p.passesCheck(t, "testdata/cases", workspace)
}

func (p nodePlugin) speaksTLS(t *testing.T) {
	cmd := exec.Command(p.binary)
	cmd.Env = append(p.env, "PROCTOR_LIFELINE=")
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "PROCTOR_PLUGIN", MagicCookieValue: "proctor-detector"},
		Plugins:          plugin.PluginSet{},
		Cmd:              cmd,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		StartTimeout:     deadline,
	})
	defer client.Kill()
	connection, err := client.Client()
	if err != nil {
		t.Fatal(err)
	}
	if err := connection.Ping(); err != nil {
		t.Error(err)
	}
}
