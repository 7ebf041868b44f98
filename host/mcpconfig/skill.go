package mcpconfig

import (
	"bytes"
	_ "embed"
	"path/filepath"
)

//go:embed SKILL.md
var skill string

// Skill returns the text that teaches an agent with a shell to use proctor.
func Skill() string { return skill }

// SkillPath returns where Claude Code looks for a skill.
func SkillPath(w Where, s Scope) string {
	dir := w.Project
	if s == User {
		dir = w.Home
	}
	return filepath.Join(dir, ".claude", "skills", serverName, "SKILL.md")
}

// WriteSkill writes the skill to its file. It replaces different text, an earlier
// version or the user's own, only with force; otherwise the error is a [FileError].
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
	case isBlank(f.data):
	case !force:
		return "", f.failure(refuse(0, "its text differs: it is of another version, or yours; --force replaces it"))
	default:
		change = Updated
	}
	return change, f.replace([]byte(skill))
}
