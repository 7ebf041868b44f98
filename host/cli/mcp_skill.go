package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/mcpconfig"
	"github.com/proctorhq/proctor/host/prose"
)

func (a *app) mcpSkillCommand() *cobra.Command {
	var (
		write, force bool
		scope        string
	)
	cmd := &cobra.Command{
		Use:   "skill",
		Short: "Print or write a skill for agents that use proctor in a shell",
		Long: `Print a SKILL.md that teaches a coding agent with a shell to use proctor's
commands, instead of a server's tools. With --write it is put where Claude Code
looks for skills: .claude/skills/proctor/SKILL.md in the current directory, in that
of --workspace, or in the home directory.`,
		Example: `  proctor mcp skill
  proctor mcp skill --write
  proctor mcp skill --write --scope user`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			where, err := a.clientPlaces()
			if err != nil {
				return &flagError{err}
			}
			s := mcpconfig.Scope(scope)
			if s != mcpconfig.Project && s != mcpconfig.User {
				return &flagError{fmt.Errorf("--scope %q: give project or user", scope)}
			}
			path := mcpconfig.SkillPath(where, s)
			if !write {
				fmt.Fprint(a.env.Stdout, mcpconfig.Skill())
				a.hint("for Claude Code this belongs into %s; --write puts it there", path)
				return nil
			}
			change, err := mcpconfig.WriteSkill(where, s, force)
			if err != nil {
				return &flagError{err}
			}
			fmt.Fprintf(a.env.Stdout, "%s %s\n", change, prose.Line(path))
			return nil
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "put it where Claude Code looks for it")
	cmd.Flags().BoolVar(&force, "force", false, "with --write: replace a file that has another text")
	cmd.Flags().StringVar(&scope, "scope", string(mcpconfig.Project), "`SCOPE`: project or user")
	return cmd
}
