package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/install/publish"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk/plugintest/conform"
	recorded "github.com/proctorhq/proctor/sdk/plugintest/golden"
)

func newPluginCheckCommand(a *app) *cobra.Command {
	var cases, manifestFile string
	var out *output
	cmd := &cobra.Command{
		Use:   "check [flags] BINARY",
		Short: "Check a plugin against the protocol",
		Long: `Start a plugin, whatever language it is written in, and check every rule of the protocol
that is visible from outside. It gets its own directories and a copy of the workspace
(-C). Only the plugin's probes are executed, which run no project code.

--cases is a directory of recorded outputs and the expected reports: to check every point
it needs a green run, a red one, one in which a test prints what looks like a pass and,
for a plugin that lists tests, a listing. See sdk/PROTOCOL.md for the files.

Exit codes: 0 every point is ok · 1 a rule is broken · 2 usage · 3 the program cannot be
started · 6 something could not be checked, which is not a pass`,
		Example: `  proctor plugin check ./proctor-plugin-tap --cases testdata/cases -C testdata/project
  proctor plugin check ./proctor-plugin-tap --json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := checkConfig(cmd.Context(), a.dir, args[0], cases, manifestFile)
			if err != nil {
				return &flags.Error{Err: err}
			}
			r, err := conform.Check(cmd.Context(), config)
			if _, ok := errors.AsType[*conform.WorkspaceError](err); ok {
				return &flags.Error{Err: err}
			}
			if err != nil {
				return err
			}
			a.code = checkExit(r)
			return print(a, out, r, func(r conform.Report, _ render.Style) string { return prose.Plain(checkText(r, a.verbose)) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&cases, "cases", "", "a `DIR` with one directory per recorded output")
	flags.StringVar(&manifestFile, "manifest", "", "the plugin's manifest.json in `FILE`; platforms may be missing")
	out = newOutput(cmd, "an object")
	return cmd
}

func checkConfig(ctx context.Context, workspace, binary, cases, manifestFile string) (conform.Config, error) {
	path, err := binaryPath(binary)
	if err != nil {
		return conform.Config{}, err
	}
	config := conform.Config{Binary: path}
	config.Workspace.Root = workspace
	if cases != "" {
		if config.Cases, err = recorded.ReadCases(ctx, cases); err != nil {
			return config, err
		}
	}
	if manifestFile != "" {
		if config.Manifest, err = readManifest(manifestFile); err != nil {
			return config, err
		}
	}
	return config, nil
}

// binaryPath returns the absolute path of a program named on the command line. It is not
// looked up in PATH: exactly the named one is checked.
func binaryPath(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("plugin %s: %w", name, err)
	}
	return path, nil
}

// readManifest reads a manifest as installed, or as its author writes it: packing adds
// the platforms.
func readManifest(path string) (*conform.Manifest, error) {
	// Before opening: reading a pipe would block.
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the manifest %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the manifest: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, manifest.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("the manifest: %w", err)
	}
	m, err := manifest.Parse(data)
	if err != nil {
		template, templateErr := publish.ParseTemplate(data)
		if templateErr != nil {
			return nil, fmt.Errorf("the manifest %s: %w", path, templateErr)
		}
		m = template
	}
	return &conform.Manifest{
		Name: m.Name, Version: m.Version, Protocols: m.Protocols, AnyFile: m.Detect.AnyFile, NoTLS: m.TLS == manifest.TLSNone,
	}, nil
}

func checkExit(r conform.Report) int {
	switch r.Outcome {
	case conform.Passed:
		return exitPassed
	case conform.Broken:
		return exitFailed
	}
	return exitIncomplete
}

// statusWords are the statuses as printed.
var statusWords = map[conform.Status]string{
	conform.OK: "ok", conform.Failed: "FAIL", conform.NotChecked: "not checked", conform.NotApplicable: "n/a",
}

// checkText lists the points, followed by the findings.
func checkText(r conform.Report, verbose bool) string {
	var b strings.Builder
	for _, p := range r.Points {
		fmt.Fprintf(&b, "%-12s %-12s %s\n", statusWords[p.Status], p.ID, p.Title)
	}
	for _, p := range r.Points {
		if p.Status == conform.OK && !verbose || p.Status == conform.OK && len(p.Notes) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s\n  rule: %s\n", statusWords[p.Status], p.ID, p.Rule)
		if p.Reason != "" {
			fmt.Fprintf(&b, "  %s\n", indentLines(p.Reason))
		}
		for _, f := range p.Findings {
			fmt.Fprintf(&b, "  - seen: %s\n    do:   %s\n", indentLines(f.Seen), f.Advice)
		}
		if p.Left > 0 {
			fmt.Fprintf(&b, "  and %d more\n", p.Left)
		}
		for _, n := range p.Notes {
			fmt.Fprintf(&b, "  note: %s\n", indentLines(n))
		}
	}
	fmt.Fprintf(&b, "\n%s: %d ok, %d failed, %d not checked, %d not applicable\n", r.Outcome, r.Counts.OK, r.Counts.Failed, r.Counts.NotChecked, r.Counts.NotApplicable)
	if r.Outcome == conform.Incomplete {
		b.WriteString("this is not a pass: what was not checked may be broken\n")
	}
	return b.String()
}

// indentLines keeps a plugin's own lines from looking like lines of the report.
func indentLines(text string) string { return strings.ReplaceAll(text, "\n", "\n      ") }
