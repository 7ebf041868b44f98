package conform

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// Limits that a host imposes.
const (
	// maxNames bounds every list of a description.
	maxNames = 64
	// maxVersion and maxLanguage bound what users type and read.
	maxVersion, maxLanguage = 128, 32
	// maxProbes is the number of probes: each is a process in every run.
	maxProbes = 4
	// maxFileName is what common file systems allow.
	maxFileName = 255
)

var (
	namePattern     = lazyregexp.New(`^[a-z][a-z0-9-]{0,31}$`)
	versionPattern  = lazyregexp.New(`^[0-9A-Za-z(][0-9A-Za-z.+_()-]*$`)
	packedPattern   = lazyregexp.New(`^[0-9]+\.[0-9]+\.[0-9]+([-+].*)?$`)
	languagePattern = lazyregexp.New(`^[a-z][a-z0-9+#.-]*$`)
	variablePattern = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	flagPattern     = lazyregexp.New(`^--?[a-z][a-z0-9-]*$`)
)

func checkDescribe(ctx context.Context, s *subject, p *probe) {
	id := s.identity
	for _, field := range []struct {
		name, value string
		pattern     *lazyregexp.Regexp
		most        int
		advice      string
	}{
		{"name", id.Name, namePattern, maxLanguage, "it is part of a file name: use lower-case letters, digits and dashes, at most 32"},
		{"version", id.Version, versionPattern, maxVersion, "give the plugin's version, such as 1.2.3, with at most 128 characters"},
		{"language", id.Language, languagePattern, maxLanguage, "users type it after --lang: use lower case and at most 32 characters"},
	} {
		if len(field.value) > field.most || !field.pattern.MatchString(field.value) {
			p.fail(fmt.Sprintf("%s is %.100q", field.name, field.value), field.advice)
		}
	}
	if !packedPattern.MatchString(id.Version) {
		p.note(fmt.Sprintf("version %.100q does not have three numbers, such as 1.2.3, which packing requires", id.Version))
	}
	file := strings.TrimSuffix(filepath.Base(s.Binary), ".exe")
	if want, ok := strings.CutPrefix(file, "proctor-plugin-"); ok && want != id.Name {
		p.fail(fmt.Sprintf("the program is %s but calls itself %.100q", file, id.Name), "name the program proctor-plugin-NAME, with the name of Describe")
	} else if !ok && s.Binary != "" {
		p.note("the program's file is not named proctor-plugin-" + shorten(id.Name) + ", which installing requires")
	}
	for _, list := range []struct {
		name   string
		values []string
		valid  func(string) bool
	}{
		{"aliases", id.Aliases, isLanguage}, {"tool_dirs", id.ToolDirs, isToolDir}, {"markers", id.Markers, isPlainName}, {"tools", id.Tools, isPlainName},
		{"env", id.Env, variablePattern.MatchString}, {"runner_flags", flagNames(id.RunnerFlags), flagPattern.MatchString},
	} {
		if len(list.values) > maxNames {
			p.fail(fmt.Sprintf("%s has %d entries", list.name, len(list.values)), fmt.Sprintf("a host accepts %d", maxNames))
		}
		if i := slices.IndexFunc(list.values, func(v string) bool { return !list.valid(v) }); i >= 0 {
			p.fail(fmt.Sprintf("%s[%d] is %.100q", list.name, i, list.values[i]), "give a plain name, without directories or special characters")
		}
	}
	if len(id.Probes) > maxProbes {
		p.fail(fmt.Sprintf("there are %d probes", len(id.Probes)), fmt.Sprintf("a host accepts %d: each is a process in every run", maxProbes))
	}
	for i, probe := range id.Probes {
		if probe.Name == "" || len(probe.Name) > maxVersion {
			p.fail(fmt.Sprintf("probes[%d] has the name %.100q", i, probe.Name), "give each probe a short name, by which its output is found")
		}
		checkCommand(p, fmt.Sprintf("probes[%d]", i), sdk.Command{Argv: probe.Argv, Env: probe.Env, UnsetEnv: probe.UnsetEnv})
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	again, err := s.detector.Describe(ctx, "another version")
	if err != nil {
		s.reportBroken(ctx, p, "a second Describe", err)
	} else if !reflect.DeepEqual(again, id) {
		p.fail("two calls of Describe have different answers", "make it depend only on the program")
	}
}

// isPlainName reports whether a name names a file without any directory.
func isPlainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= maxFileName && !strings.ContainsAny(name, "/\\:\x00\n")
}

func isLanguage(name string) bool {
	return len(name) <= maxLanguage && languagePattern.MatchString(name)
}

// isToolDir accepts only directories that do not depend on the working directory.
func isToolDir(dir string) bool {
	if rest, home := strings.CutPrefix(dir, "~/"); home {
		return rest != "" && isLocalPath(rest)
	}
	return filepath.IsAbs(dir) && filepath.Clean(dir) == dir && filepath.Dir(dir) != dir
}

func checkManifest(_ context.Context, s *subject, p *probe) {
	m, id := s.Manifest, s.identity
	if m == nil {
		p.exempt("no manifest was given: --manifest FILE compares name, version, protocols and markers")
		return
	}
	for _, field := range []struct{ name, manifest, program string }{
		{"name", m.Name, id.Name}, {"version", m.Version, id.Version},
	} {
		if field.manifest != field.program {
			p.fail(fmt.Sprintf("%s is %.100q in the manifest, but Describe says %.100q", field.name, field.manifest, field.program),
				"write the manifest from the program's own answer")
		}
	}
	if !slices.Contains(m.Protocols, sdk.ProtocolVersion) {
		p.fail(fmt.Sprintf("protocols are %v in the manifest, but the program speaks %d", m.Protocols, sdk.ProtocolVersion), "list every version that the program speaks")
	}
	for _, file := range m.AnyFile {
		if !slices.Contains(id.Markers, file) {
			p.fail(fmt.Sprintf("%.100q is in the manifest's detect.any_file but not in the markers of Describe", file), "give both the same names")
		}
	}
	for _, marker := range id.Markers {
		// Without any name the plugin is started everywhere.
		if len(m.AnyFile) > 0 && !slices.Contains(m.AnyFile, marker) {
			p.fail(fmt.Sprintf("%.100q is a marker of Describe but not in the manifest's detect.any_file: a directory with only this marker does not make a host start the plugin", marker), "give both the same names")
		}
	}
}

func checkDetect(ctx context.Context, s *subject, p *probe) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	empty, err := os.MkdirTemp("", "kit")
	if err != nil {
		p.skip("cannot make an empty directory: " + err.Error())
		return
	}
	defer func() { _ = os.RemoveAll(empty) }()
	found, err := s.detector.Detect(ctx, sdk.Workspace{Root: empty, Tools: s.Workspace.Tools})
	if err != nil {
		s.reportBroken(ctx, p, "Detect for an empty directory", err)
	} else if found.Detected {
		p.fail("Detect recognizes an empty directory as a project", "look for a file that only projects of the language have")
	}
	if !s.hasWorkspace(p) {
		return
	}
	found, err = s.detector.Detect(ctx, s.Workspace)
	if err != nil {
		s.reportBroken(ctx, p, "Detect for the workspace", err)
	} else if !found.Detected {
		// It is unclear whose fault that is, but it is not a pass.
		p.skip("Detect does not recognize the workspace as a project: give a project of the language, or fix Detect")
	}
}

func flagNames(flags []sdk.RunnerFlag) []string {
	names := make([]string, len(flags))
	for i, f := range flags {
		names[i] = f.Name
	}
	return names
}
