package mcpconfig

import (
	"bytes"
	_ "embed"
	"path/filepath"
)

//go:embed SKILL.md
var skill string

// Skill is the text that teaches an agent with a shell to use proctor.
func Skill() string { return skill }

// SkillPath is where Claude Code looks for a skill.
func SkillPath(w Where, s Scope) string {
	dir := w.Project
	if s == User {
		dir = w.Home
	}
	return filepath.Join(dir, ".claude", "skills", serverName, "SKILL.md")
}

// WriteSkill writes the skill into its file. A file with another text, an earlier
// one or somebody's own, is replaced only with force; else it is a [FileError].
func WriteSkill(w Where, s Scope, force bool) (Change, error) {
	base := w.Project
	if s == User {
		base = w.Home
	}
	f, err := openFile(SkillPath(w, s), []string{base}, false)
	if err != nil {
		return "", err
	}
	change := Created
	switch {
	case bytes.Equal(f.data, []byte(skill)):
		return Unchanged, nil
	case blank(f.data):
	case !force:
		return "", f.failure(refuse(0, "it has another text, of another version or of yours; --force replaces it"))
	default:
		change = Updated
	}
	return change, f.replace([]byte(skill))
}
