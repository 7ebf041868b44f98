package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/mcpconfig"
	"github.com/proctorhq/proctor/host/prose"
)

func newMCPConfigCommand(a *app) *cobra.Command {
	var (
		write          bool
		scope, command string
	)
	cmd := &cobra.Command{
		Use:   "config CLIENT",
		Short: "Print or write a client's configuration for the server",
		Long: `Print what a client's configuration needs to start this server, and where it belongs. With
--write it is written there: everything else in the file stays as it is, comments
included, and an existing equal entry is left alone. A file that cannot be parsed is not
changed.

CLIENT is one of ` + strings.Join(mcpconfig.Names(), ", ") + `. The project is the
current directory, or that of --workspace.`,
		Example: `  proctor mcp config claude
  proctor mcp config gemini --write
  proctor mcp config cursor --write --scope user`,
		Args: arguments(func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("give one client: " + strings.Join(mcpconfig.Names(), ", "))
			}
			return nil
		}),
		ValidArgs: mcpconfig.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := mcpEntry(a, args[0], mcpconfig.Scope(scope), command)
			if err != nil {
				return &flags.Error{Err: err}
			}
			if !write {
				a.printText(e.Snippet())
				explainEntry(a, e)
				return nil
			}
			change, err := e.Write()
			if err != nil {
				return &flags.Error{Err: err}
			}
			fmt.Fprintf(a.env.Stdout, "%s %s\n", change, prose.Line(e.Path))
			a.hint("%s", checkHint(e))
			warnMachine(a, e)
			return nil
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write the entry to the client's file")
	cmd.Flags().StringVar(&scope, "scope", "", "`SCOPE`: project or user (default: project, if the client has one; user for codex and zed)")
	cmd.Flags().StringVar(&command, "command", "", "the `PROGRAM` the client starts (default: proctor, or its absolute path if needed)")
	return cmd
}

// mcpEntry plans the entry for a client.
func mcpEntry(a *app, client string, scope mcpconfig.Scope, command string) (mcpconfig.Entry, error) {
	where, err := clientPlaces(a.env, a.dir)
	if err != nil {
		return mcpconfig.Entry{}, err
	}
	executable, err := os.Executable()
	if err != nil {
		return mcpconfig.Entry{}, fmt.Errorf("cannot determine where proctor is installed: %w; give --command", err)
	}
	program, byName := mcpconfig.Program(executable, a.env.get("PATH"))
	return mcpconfig.Plan(mcpconfig.Config{
		Client: client, Scope: scope, Program: program, ByName: byName, Command: command, Where: where,
	})
}

// clientPlaces returns the directories below which clients keep files. It does not
// search for the project: clients look where they are opened.
func clientPlaces(env environment, dir string) (mcpconfig.Where, error) {
	home := env.get("HOME")
	if runtime.GOOS == "windows" {
		home = env.get("USERPROFILE")
	}
	if !filepath.IsAbs(home) {
		return mcpconfig.Where{}, errors.New("the home directory, below which clients keep their settings, is unknown; set HOME")
	}
	project, err := filepath.Abs(dir)
	if err != nil {
		return mcpconfig.Where{}, fmt.Errorf("cannot determine the current directory: %w; give --workspace", err)
	}
	if st, err := os.Stat(project); err != nil || !st.IsDir() {
		return mcpconfig.Where{}, fmt.Errorf("%s is not a directory; give the project's with --workspace", project)
	}
	return mcpconfig.Where{Project: project, Home: home, Getenv: env.get}, nil
}

// explainEntry says where the printed text belongs.
func explainEntry(a *app, e mcpconfig.Entry) {
	if e.Path != "" {
		a.hint("for %s this belongs in %s; --write puts it there", e.Title, e.Path)
	}
	if len(e.Add) > 0 {
		a.hint("%s can add it itself: %s", e.Title, prose.ShellLine(e.Add))
	}
	a.hint("%s", checkHint(e))
	warnMachine(a, e)
}

func checkHint(e mcpconfig.Entry) string { return "to see that it works: " + e.Check }

func warnMachine(a *app, e mcpconfig.Entry) {
	if e.Machine {
		a.hint("it names %s, a path of this machine; for a file that others share, use --command proctor", e.Command)
	}
}

// hint prints additional information to standard error.
func (a *app) hint(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.env.Stderr, "proctor: "+prose.Line(fmt.Sprintf(format, args...)))
	}
}

func newMCPSkillCommand(a *app) *cobra.Command {
	var (
		write, force bool
		scope        string
	)
	cmd := &cobra.Command{
		Use:   "skill",
		Short: "Print or write a skill for agents that use proctor in a shell",
		Long: `Print a SKILL.md that teaches a coding agent with a shell to use proctor's commands,
instead of a server's tools. With --write it is written to where Claude Code looks for
skills: .claude/skills/proctor/SKILL.md in the current directory, in that of --workspace,
or in the home directory.`,
		Example: `  proctor mcp skill
  proctor mcp skill --write
  proctor mcp skill --write --scope user`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			where, err := clientPlaces(a.env, a.dir)
			if err != nil {
				return &flags.Error{Err: err}
			}
			s := mcpconfig.Scope(scope)
			if s != mcpconfig.Project && s != mcpconfig.User {
				return &flags.Error{Err: fmt.Errorf("--scope %q: give project or user", scope)}
			}
			path := mcpconfig.SkillPath(where, s)
			if !write {
				fmt.Fprint(a.env.Stdout, mcpconfig.Skill())
				a.hint("for Claude Code this belongs in %s; --write puts it there", path)
				return nil
			}
			change, err := mcpconfig.WriteSkill(where, s, force)
			if err != nil {
				return &flags.Error{Err: err}
			}
			fmt.Fprintf(a.env.Stdout, "%s %s\n", change, prose.Line(path))
			return nil
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "write it where Claude Code looks for it")
	cmd.Flags().BoolVar(&force, "force", false, "with --write: replace a file with other content")
	cmd.Flags().StringVar(&scope, "scope", string(mcpconfig.Project), "`SCOPE`: project or user")
	return cmd
}
