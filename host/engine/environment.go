package engine

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/project"
)

// Environment names what a run's results depend on beside the sources. It is the same
// on two machines where what decides is the same.
func (f *Finisher) Environment() string {
	return f.Project.Setting(slices.Concat(f.RunnerArgs, f.NarrowedBy))
}

// surroundings is the environment of a run in detail: what decides, and all other
// variables that its tests could see.
func (f *Finisher) surroundings() api.Surroundings {
	s := api.Surroundings{Decides: f.Project.Decides(slices.Concat(f.RunnerArgs, f.NarrowedBy)), Variables: map[string]string{}, Args: f.ArgsKey(), Way: (*api.Way)(f.way)}
	for name, value := range s.Decides {
		if project.IsHash(value) {
			s.Decides[name] = value[:len("#")+project.SecretDigits]
		}
	}
	for _, entry := range f.Project.Environ {
		name, value, ok := strings.Cut(entry, "=")
		if _, decides := s.Decides[name]; ok && !decides && !project.IsPassing(name) && len(s.Variables) < project.MaxVariables {
			s.Variables[name] = project.Digest(value)[:project.SecretDigits]
		}
	}
	return s
}
