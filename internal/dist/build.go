package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// program is a built program.
type program struct {
	name string // with the suffix of its platform
	info *buildinfo.BuildInfo
	data []byte
}

// Tags leave out what nothing uses: grpc's pages of traces, which bring in html/template and
// with it every exported method of the program, and net/http's HTTP/2, since downloads and
// the MCP server need none. (gRPC has its own.)
const tags = "grpcnotrace,nethttpomithttp2"

// linkerFlags leave out symbols and DWARF, a third of the program, which no stack trace
// needs, and the build id, which is another for each folder.
const linkerFlags = "-s -w -buildid="

// environment returns the settings that affect the bytes of a program, so that those of
// the machine do not. GOFLAGS is not empty, because then the go command would use its own
// settings file.
func environment(p platform) []string {
	return []string{
		"GOFLAGS=-trimpath", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off", "CGO_ENABLED=0",
		"GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0",
	}
}

// build builds the programs of cmd/ of a commit for a platform.
func build(ctx context.Context, source *checkout, p platform) ([]program, error) {
	dir, err := os.MkdirTemp("", "proctor-dist-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	_, err = output(ctx, source.dir, environment(p), "go", "build", "-mod=readonly", "-buildvcs=true", "-tags="+tags, "-ldflags="+linkerFlags,
		"-o", dir+string(filepath.Separator), "./cmd/...")
	if err != nil {
		return nil, err
	}
	return readPrograms(dir)
}

// programBudget bounds a program, in bytes: the largest, proctor for Windows, is a tenth
// smaller. A single call of a method by its name, somewhere in a new module, is 4 MB.
const programBudget = 33_000_000

// checkSizes refuses a release that has become much larger, so that somebody finds out why.
func checkSizes(programs []program) error {
	for _, built := range programs {
		if len(built.data) > programBudget {
			return fmt.Errorf("%s has %d bytes, over the %d that are allowed: see in docs/releasing.md what could be in it, or raise programBudget", built.name, len(built.data), programBudget)
		}
	}
	return nil
}

// readPrograms reads the programs in a folder, sorted by name.
func readPrograms(dir string) ([]program, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var programs []program
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "proctor") {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		programs = append(programs, program{entry.Name(), info, data})
	}
	if len(programs) == 0 {
		return nil, fmt.Errorf("there is no program in %s", dir)
	}
	return programs, nil
}

// stamp is what the go command recorded of a release, and what all its programs agree on.
type stamp struct {
	version   string // with a v
	commit    string
	time      time.Time
	goVersion string
}

// readStamp returns the stamp of the programs, or an error if one of them has none or a
// different one: a release must be able to say what it was built from.
func readStamp(programs []program, commit string) (stamp, error) {
	var first stamp
	for _, built := range programs {
		s := stamp{version: built.info.Main.Version, goVersion: built.info.GoVersion}
		modified, when := "", ""
		for _, setting := range built.info.Settings {
			switch setting.Key {
			case "vcs.revision":
				s.commit = setting.Value
			case "vcs.modified":
				modified = setting.Value
			case "vcs.time":
				when = setting.Value
			}
		}
		var err error
		if s.time, err = time.Parse(time.RFC3339, when); err != nil || s.commit != commit || modified != "false" || s.version == "" || s.version == "(devel)" {
			return stamp{}, fmt.Errorf("%s is stamped with version %q, commit %q of %q, modified %q, and not with commit %s: is git in the PATH?",
				built.name, s.version, s.commit, when, modified, commit)
		}
		if first == (stamp{}) {
			first = s
		}
		if s != first {
			return stamp{}, fmt.Errorf("%s is stamped with %+v, another program with %+v", built.name, s, first)
		}
	}
	return first, nil
}

// number returns the version without its v, as in file names.
func (s stamp) number() string { return strings.TrimPrefix(s.version, "v") }

// linkedModules returns the modules that are linked into any of the programs, sorted.
func linkedModules(programs []program) []*debug.Module {
	byPath := map[string]*debug.Module{}
	for _, built := range programs {
		for _, module := range built.info.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			byPath[module.Path] = module
		}
	}
	modules := make([]*debug.Module, 0, len(byPath))
	for _, module := range byPath {
		modules = append(modules, module)
	}
	slices.SortFunc(modules, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return modules
}
