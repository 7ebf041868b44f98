package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/workspace"
)

// environment names what a run's results depend on beside the sources. It is the same
// on two machines where what decides is the same.
func (f *finisher) environment() string {
	return f.project.setting(slices.Concat(f.runnerArgs, f.narrowedBy))
}

// setting names what decides how a project's tests end under some arguments.
func (p project) setting(args []string) string {
	decides := p.decides(args)
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(decides)) {
		fmt.Fprintf(sum, "%d:%s%d:%s", len(name), name, len(decides[name]), decides[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// decides is what decides how a project's tests end under some arguments, by names
// that a user understands. What may be a secret is a hash.
func (p project) decides(args []string) map[string]string {
	places := p.places()
	decides := map[string]string{
		"plugin":   strings.TrimSpace(p.id.Name + " " + p.id.Version + " " + p.override),
		"platform": runtime.GOOS + "/" + runtime.GOARCH,
	}
	if len(args) > 0 {
		decides["runner arguments"] = strings.Join(args, "\x00")
	}
	probed := map[string]bool{}
	for _, probe := range p.id.Probes {
		if out, ok := p.ws.Probes[probe.Name]; ok {
			decides["what "+strings.Join(probe.Argv, " ")+" prints"] = "#" + digest(places.replace(string(out.Stdout)))
			probed[probe.Argv[0]] = out.ExitCode == 0
		}
	}
	for name, path := range p.ws.Tools {
		// Where a tool lies is of no account as long as it is known which it is.
		if p.settings[name] == "" && !probed[name] {
			decides[name] = path
		}
	}
	for name, value := range p.settings {
		decides[name] = value
	}
	for name, value := range p.deciding() {
		decides[name] = value
	}
	for name, value := range decides {
		decides[name] = places.replace(value)
	}
	for _, entry := range p.environ {
		if name, value, ok := strings.Cut(entry, "="); ok && !isPassing(name) && matches(p.counted, name) {
			decides[name] = "#" + digest(places.replace(value))
		}
	}
	return decides
}

// deciding are the variables that the plugin names as deciding and that are set. The
// empty ones count as unset, as most programs have it.
func (p project) deciding() map[string]string {
	if len(p.id.Deciding) == 0 {
		return p.ws.Env // a plugin that does not tell the two apart
	}
	found := map[string]string{}
	for _, entry := range p.environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" && matches(p.id.Deciding, name) {
			found[name] = value
		}
	}
	return found
}

// matches tells whether a variable is one of those named. A name that ends in "*"
// stands for all that begin so.
func matches(names []string, variable string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		prefix, isPrefix := strings.CutSuffix(name, "*")
		return name == variable || isPrefix && strings.HasPrefix(variable, prefix)
	})
}

// surroundings is the environment of a run in detail: what decides, and all other
// variables that its tests could see.
func (f *finisher) surroundings() record.Surroundings {
	s := record.Surroundings{Decides: f.project.decides(slices.Concat(f.runnerArgs, f.narrowedBy)), Variables: map[string]string{}, Args: f.argsKey(), Way: (*record.Way)(f.way)}
	for name, value := range s.Decides {
		if isHash(value) {
			s.Decides[name] = value[:len("#")+secretDigits]
		}
	}
	for _, entry := range f.project.environ {
		name, value, ok := strings.Cut(entry, "=")
		if _, decides := s.Decides[name]; ok && !decides && !isPassing(name) && len(s.Variables) < maxVariables {
			s.Variables[name] = digest(value)[:secretDigits]
		}
	}
	return s
}

// secretDigits is how much is kept of the hash of what may be a secret: from sixteen
// bits nobody finds it.
const secretDigits = 4

// isHash tells whether of a deciding value only a hash is known.
func isHash(value string) bool { return strings.HasPrefix(value, "#") && len(value) > secretDigits }

// maxVariables bounds the variables of which a run remembers anything.
const maxVariables = 2000

// digest tells two values apart.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// isPassing tells whether a variable is one of a shell, a terminal or a session, or
// proctor's own: it changes from one command to the next without meaning anything.
func isPassing(name string) bool {
	return matches([]string{
		"_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "TERM*", "COLORTERM", "WINDOWID", "TMUX*", "STY", "SSH_*", "XDG_SESSION_*", "DBUS_*",
		"INVOCATION_ID", "JOURNAL_STREAM", "PROCTOR_*",
	}, name)
}

// place is a directory that lies elsewhere on each machine.
type place struct{ path, name string }

// places are such directories, those within others before these.
type places []place

// places are those of a project: its root, the user's directories, temporary ones and
// those that the plugin looks into.
func (p project) places() places {
	var all places
	add := func(path, name string) {
		path = strings.TrimRight(path, `/\`)
		if filepath.IsAbs(path) && filepath.Dir(path) != path {
			all = append(all, place{path, name})
			if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
				all = append(all, place{real, name})
			}
		}
	}
	env := func(name string) string { return workspace.Getenv(p.environ, name) }
	add(p.root.Path, "{workspace}")
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "LOCALAPPDATA", "APPDATA"} {
		add(env(name), "{"+name+"}")
	}
	for _, name := range slices.Sorted(maps.Keys(p.ws.Env)) {
		if !matches(p.id.Deciding, name) && len(p.id.Deciding) > 0 {
			add(p.ws.Env[name], "{"+name+"}")
		}
	}
	add(cmp.Or(env("HOME"), env("USERPROFILE")), "{home}")
	for _, path := range []string{env("TMPDIR"), env("TEMP"), env("TMP"), os.TempDir()} {
		add(path, "{tmp}")
	}
	slices.SortStableFunc(all, func(a, b place) int { return len(b.path) - len(a.path) })
	return all
}

// replace puts the places' names where their paths stand in a text.
func (p places) replace(text string) string {
	for _, place := range p {
		text = replacePath(text, place.path, place.name)
	}
	return text
}

// replacePath replaces a path where it stands as a whole, or as the beginning of a
// longer one.
func replacePath(text, path, name string) string {
	if !strings.Contains(text, path) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, path)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if inPath(before, len(before)-1) || inPath(after, 0) && after[0] != '/' && after[0] != '\\' {
			b.WriteString(path)
		} else {
			b.WriteString(name)
		}
		text = after
	}
}

// inPath tells whether a path could go on with what stands at a place in a text.
func inPath(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("_-./\\+~@%}", c) >= 0
}

// unlikeness is in what the environments of two runs differ, as far as both are known.
func unlikeness(a, b record.Surroundings) *record.Unlike {
	u := &record.Unlike{}
	for _, name := range keysOfBoth(a.Decides, b.Decides) {
		if x, y := a.Decides[name], b.Decides[name]; x != y {
			u.Decides = append(u.Decides, record.UnlikeSetting{Name: name, Before: plainValue(x), Now: plainValue(y)})
		}
	}
	for _, name := range keysOfBoth(a.Variables, b.Variables) {
		_, decided := a.Decides[name]
		_, decides := b.Decides[name]
		if a.Variables[name] == b.Variables[name] || decided || decides {
			continue
		}
		if u.VariablesTotal++; len(u.Variables) < record.MaxNames {
			u.Variables = append(u.Variables, name)
		}
	}
	if len(u.Decides) == 0 && u.VariablesTotal == 0 {
		return nil
	}
	return u
}

// plainValue is a value as a user reads it: not that of which only a hash is known.
func plainValue(value string) string {
	if isHash(value) {
		return ""
	}
	return strings.ReplaceAll(value, "\x00", " ")
}

func keysOfBoth(a, b map[string]string) []string {
	keys := slices.Concat(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}
