package query

import (
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/project"
)

// compareEnvironments returns how the environments of two runs differ, as far as both are known.
func compareEnvironments(a, b api.Surroundings) *api.EnvironmentDiff {
	u := &api.EnvironmentDiff{}
	for _, name := range project.KeysOfBoth(a.Decides, b.Decides) {
		if x, y := a.Decides[name], b.Decides[name]; x != y {
			u.Decides = append(u.Decides, api.SettingDiff{Name: name, Before: plainValue(x), Now: plainValue(y)})
		}
	}
	for _, name := range project.KeysOfBoth(a.Variables, b.Variables) {
		_, decided := a.Decides[name]
		_, decides := b.Decides[name]
		if a.Variables[name] == b.Variables[name] || decided || decides {
			continue
		}
		if u.VariablesTotal++; len(u.Variables) < api.MaxNames {
			u.Variables = append(u.Variables, name)
		}
	}
	if len(u.Decides) == 0 && u.VariablesTotal == 0 {
		return nil
	}
	return u
}

// plainValue returns a value as a user reads it, empty if only its hash is known.
func plainValue(value string) string {
	if project.IsHash(value) {
		return ""
	}
	return strings.ReplaceAll(value, "\x00", " ")
}
