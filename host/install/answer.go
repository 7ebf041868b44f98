package install

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/lock"
	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// AnswerSchema is the version of [Answer].
const AnswerSchema = "proctor.plugins/v1"

// Answer is what a command did, plugin by plugin.
type Answer struct {
	Schema  string `json:"schema"`
	Command string `json:"command"`
	// Lock is the path of the lock file.
	Lock    string   `json:"lock"`
	DryRun  bool     `json:"dry_run,omitempty"`
	Plugins []Plugin `json:"plugins"`
	// Mirror is the directory that was written.
	Mirror string `json:"mirror,omitempty"`
	// Problem is why nothing was done at all, with Detail for further lines and Code
	// for programs.
	Problem string `json:"problem,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Code    string `json:"code,omitempty"`
}

// Refused returns the answer of a command that could do nothing.
func Refused(command, lockPath string, err error) Answer {
	a := newAnswer(command, lockPath)
	a.Problem, a.Detail, a.Code = err.Error(), detail(err), code(err)
	return a
}

// Plugin is the result for one plugin.
type Plugin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// From is the previously locked version, FromSource its source; each is empty if
	// unchanged.
	From       string `json:"from,omitempty"`
	FromSource string `json:"from_source,omitempty"`
	Source     string `json:"source,omitempty"`
	Signer     string `json:"signer,omitempty"`
	Action     Action `json:"action"`
	// Path is that of the binary.
	Path string `json:"path,omitempty"`
	// Platforms are those whose hashes are locked, or whose archives were copied.
	Platforms []manifest.Platform `json:"platforms,omitempty"`
	// Newer is a version in the index that the lock does not allow.
	Newer string `json:"newer,omitempty"`
	// Note is worth knowing; Problem is why nothing was done, with Detail for further
	// lines and Code for programs.
	Note    string `json:"note,omitempty"`
	Problem string `json:"problem,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Code    string `json:"code,omitempty"`
}

// Action is what was or would be done with a plugin.
type Action string

// The actions.
const (
	Installed Action = "installed"
	Unchanged Action = "unchanged"
	Upgraded  Action = "upgraded"
	Removed   Action = "removed"
	LockedAll Action = "locked"
	Mirrored  Action = "mirrored"
	Verified  Action = "verified"
	// Missing means that a check found something to do.
	Missing Action = "missing"
	// Failed means that there is a problem.
	Failed Action = "failed"
)

// OK reports whether everything is as requested.
func (a Answer) OK() bool {
	if a.Problem != "" {
		return false
	}
	for _, p := range a.Plugins {
		if p.Action == Failed || p.Action == Missing {
			return false
		}
	}
	return true
}

// newAnswer returns the answer of a command without plugins yet.
func newAnswer(command, lockPath string) Answer {
	return Answer{Schema: AnswerSchema, Command: command, Lock: lockPath, Plugins: []Plugin{}}
}

// failed records why nothing was done with a plugin.
func (p Plugin) failed(err error) Plugin {
	p.Action, p.Problem = Failed, err.Error()
	p.Detail, p.Code = detail(err), code(err)
	return p
}

// BindsOthers reports whether a project's lock file now names a plugin that only this
// machine has: others cannot sync from it.
func (a Answer) BindsOthers() bool {
	return filepath.Base(a.Lock) == lock.ProjectFile &&
		slices.ContainsFunc(a.Plugins, func(p Plugin) bool { return strings.HasPrefix(p.Source, "local:") })
}
