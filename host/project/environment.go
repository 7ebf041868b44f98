package project

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Setting returns a hash of everything that affects the results of the project's tests
// with these arguments.
func (p Project) Setting(args []string) string {
	decides := p.DecidingSettings(args)
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(decides)) {
		fmt.Fprintf(sum, "%d:%s%d:%s", len(name), name, len(decides[name]), decides[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// DecidingSettings returns what affects the results of the project's tests with these
// arguments, by names that users understand. Possible secrets are hashed.
func (p Project) DecidingSettings(args []string) map[string]string {
	places := p.places()
	decides := map[string]string{
		"plugin":   strings.TrimSpace(p.ID.Name + " " + p.ID.Version + " " + p.Override),
		"platform": runtime.GOOS + "/" + runtime.GOARCH,
	}
	if len(args) > 0 {
		decides["runner arguments"] = strings.Join(args, "\x00")
	}
	probed := map[string]bool{}
	for _, probe := range p.ID.Probes {
		if out, ok := p.Ws.Probes[probe.Name]; ok {
			decides["what "+strings.Join(probe.Argv, " ")+" prints"] = "#" + Digest(places.replace(string(out.Stdout)))
			probed[probe.Argv[0]] = out.ExitCode == 0
		}
	}
	for name, path := range p.Ws.Tools {
		// The path of a tool does not matter if its version is known.
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
	for _, entry := range p.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok && !IsTransient(name) && matchesVariable(p.counted, name) {
			decides[name] = "#" + Digest(places.replace(value))
		}
	}
	return decides
}

// HashSettings returns what DecidingSettings does, as hashes that are too short to reveal a
// value.
func (p Project) HashSettings(args []string) map[string]string {
	hashes := map[string]string{}
	for name, value := range p.DecidingSettings(args) {
		hashes[name] = Digest(value)[:SecretDigits]
	}
	return hashes
}

// NameDifferences names the settings in which two machines differ.
func NameDifferences(a, b map[string]string) string {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x, inA := a[name]
		if y, inB := b[name]; x != y || inA != inB {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "tools, their versions, or variables that decide how tests end"
	}
	return prose.Listed(names, len(names), maxDiffering, prose.Line)
}

// maxDiffering is how many settings an error names.
const maxDiffering = 5

// deciding returns the set variables that the plugin declares relevant. Empty ones
// count as unset, as in most programs.
func (p Project) deciding() map[string]string {
	if len(p.ID.Deciding) == 0 {
		return p.Ws.Env // a plugin that does not distinguish the two
	}
	found := map[string]string{}
	for _, entry := range p.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok && value != "" && matchesVariable(p.ID.Deciding, name) {
			found[name] = value
		}
	}
	return found
}

// matchesVariable reports whether a variable is among those named. A trailing "*" matches a
// prefix.
func matchesVariable(names []string, variable string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		prefix, isPrefix := strings.CutSuffix(name, "*")
		return name == variable || isPrefix && strings.HasPrefix(variable, prefix)
	})
}

// SecretDigits is how many hexadecimal digits are kept of the hash of a possible secret:
// sixteen bits do not reveal it.
const SecretDigits = 4

// IsHash reports whether only a hash of a relevant value is known.
func IsHash(value string) bool { return strings.HasPrefix(value, "#") && len(value) > SecretDigits }

// MaxVariables bounds the variables recorded with a run.
const MaxVariables = 2000

// Digest returns a short hash of a text, enough to tell values apart.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// IsTransient reports whether a variable belongs to a shell, a terminal or a session, or
// is proctor's own. Such variables change between commands without affecting tests.
func IsTransient(name string) bool {
	return matchesVariable([]string{
		"_", "PWD", "OLDPWD", "SHLVL", "COLUMNS", "LINES", "TERM*", "COLORTERM", "WINDOWID", "TMUX*", "STY", "SSH_*", "XDG_SESSION_*", "DBUS_*",
		"INVOCATION_ID", "JOURNAL_STREAM", "PROCTOR_*",
	}, name)
}

// ownName stands for the workspace.
const ownName = "{workspace}"

// place is a directory whose path differs from machine to machine, and the name that
// stands for it.
type place struct{ path, name string }

// places are ordered by length, longest first, so that nested ones come first.
type places []place

// places returns the project's root, the user's directories, the temporary ones and
// those of the plugin.
func (p Project) places() places {
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
	env := func(name string) string { return workspace.Getenv(p.Environ, name) }
	add(p.Root.Path, ownName)
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "LOCALAPPDATA", "APPDATA"} {
		add(env(name), "{"+name+"}")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Ws.Env)) {
		if !matchesVariable(p.ID.Deciding, name) && len(p.ID.Deciding) > 0 && name != "PATH" { // which names many places
			add(p.Ws.Env[name], "{"+name+"}")
		}
	}
	add(cmp.Or(env("HOME"), env("USERPROFILE")), "{home}")
	for _, path := range []string{env("TMPDIR"), env("TEMP"), env("TMP"), os.TempDir()} {
		add(path, "{tmp}")
	}
	slices.SortStableFunc(all, func(a, b place) int { return len(b.path) - len(a.path) })
	return all
}

// Portable replaces the path of the workspace in a text, which another machine has elsewhere.
func (p Project) Portable(text string) string {
	if !filepath.IsAbs(p.Root.Path) || filepath.Dir(p.Root.Path) == p.Root.Path {
		return text
	}
	return replacePath(text, p.Root.Path, ownName)
}

// replace replaces the places' paths in a text by their names.
func (p places) replace(text string) string {
	for _, place := range p {
		text = replacePath(text, place.path, place.name)
	}
	return text
}

// replacePath replaces a path that stands alone or begins a longer one.
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

// inPath reports whether the character at an index of a text can be part of a path.
func inPath(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("_-./\\+~@%}", c) >= 0
}

// KeysOfBoth returns the keys of two maps, sorted.
func KeysOfBoth(a, b map[string]string) []string {
	keys := slices.Concat(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// ArgsKey returns the key that package outstanding files a run under: its arguments and
// the deciding variables.
func (p Project) ArgsKey(args []string) string {
	key := strings.Join(args, "\x00") + outstanding.EnvMark
	deciding := p.deciding()
	for _, name := range slices.Sorted(maps.Keys(deciding)) {
		key += "\x00" + name + "=" + deciding[name]
	}
	return key
}

// WayOf returns the way in which the commands of a plan run tests. If the plugin does
// not say, all runner arguments and deciding variables count; otherwise the plugin
// considers the variables that it sees.
func (p Project) WayOf(plan sdk.Plan, args []string) *outstanding.Way {
	var decides, narrows []string
	deciding := p.deciding()
	if plan.Way != nil {
		decides, narrows = slices.Clone(plan.Way.Decides), plan.Way.Narrows
	} else {
		for i, arg := range args {
			decides = append(decides, fmt.Sprintf("%04d %s", i, arg)) // their order may matter
		}
	}
	for _, name := range slices.Sorted(maps.Keys(deciding)) {
		if plan.Way == nil || !slices.Contains(p.ID.Env, name) {
			decides = append(decides, name+"="+deciding[name])
		}
	}
	return outstanding.WayOf(decides, narrows)
}

// RestoreEnvironment returns the project with the deciding variables as they were when
// an outstanding test was red. changed are the variables that have other values now.
func RestoreEnvironment(ctx context.Context, h *Host, p Project, e outstanding.Entry) (in Project, changed []string) {
	_, env, marked := strings.Cut(e.Args, outstanding.EnvMark)
	if e.Way == nil || !marked {
		return p, nil
	}
	then := map[string]string{}
	for _, setting := range SplitKey(strings.TrimPrefix(env, "\x00")) {
		if name, value, ok := strings.Cut(setting, "="); ok {
			then[name] = value
		}
	}
	now := p.deciding()
	if maps.Equal(then, now) {
		return p, nil
	}
	p.Environ, p.changed = workspace.Unsetenv(p.Environ, slices.Sorted(maps.Keys(now))), true
	for _, name := range KeysOfBoth(now, then) {
		value, set := then[name]
		if set {
			p.Environ = workspace.Setenv(p.Environ, name, value)
		}
		if value != now[name] {
			changed = append(changed, name+"="+value)
		}
	}
	p.Ws.Env = workspace.Pick(p.Environ, p.ID.Env)
	return h.RunProbes(ctx, p), changed
}

// SplitKey returns the arguments or variables in a key of [outstanding.Scope].
func SplitKey(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(key, "\x00")
}
