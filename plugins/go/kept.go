package gotest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/listed"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// The go command takes a tenth of a second to list a small module with its dependencies,
// most of it for packages that never change. So its output is kept in the workspace's cache,
// and read again while it would be the same.

// stateVariable tells the parser of a listing which state the sources were in: what a command
// prints is kept for it, if they are still in it then, and what is known was kept for it.
const stateVariable = "GOTEST_LISTING_STATE"

// listingsName is the directory of listings in the workspace's cache.
const listingsName = "listings"

// keeping is a listing that may be kept.
type keeping struct {
	path string
	cfg  listed.Config
}

// keep returns how to keep the output of a command; ok is false if that depends on more
// than is known.
func (p project) keep(argv []string) (k keeping, ok bool) {
	env := p.workspace.Env
	switch {
	case p.workspace.Cache == "", p.version == "", env[source.Upload] != "", env["GO111MODULE"] == "off":
		return keeping{}, false
	}
	for _, word := range slices.Concat(argv, strings.Fields(env["GOFLAGS"])) {
		if flag, is := strings.CutPrefix(strings.TrimLeft(word, `'"`), "-"); is {
			if name, _, _ := strings.Cut(strings.TrimPrefix(flag, "-"), "="); slices.Contains(unkept, name) {
				return keeping{}, false
			}
		}
	}
	for _, module := range p.layout.Main {
		if module.Path == "std" || module.Path == "cmd" {
			return keeping{}, false
		}
	}
	words := append([]string{p.layout.Root, p.layout.WorkFile, string(p.version), describeFile(p.workspace.Tools[tool])}, argv...)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		words = append(words, name+"="+env[name])
	}
	if env["CGO_ENABLED"] == "" { // it depends on whether there is a compiler
		for _, compiler := range []string{"gcc", "clang", "cc"} {
			words = append(words, findProgram(compiler, env["PATH"]))
		}
	}
	files := []string{userFile(env), installationFile(p.workspace.Tools[tool])}
	if p.layout.WorkFile != "" {
		files = append(files, p.layout.WorkFile, p.layout.WorkFile+".sum")
	}
	files = slices.DeleteFunc(files, func(file string) bool { return file == "" })
	return keeping{
		path: listed.Path(filepath.Join(p.workspace.Cache, listingsName), words),
		cfg:  listed.Config{Layout: p.layout, Words: words, Files: files},
	}, true
}

// unkept are flags with which a listing depends on other files.
var unkept = []string{"overlay", "modfile", "C", "compiler", "installsuffix"}

// describeFile tells one version of a program from another.
func describeFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path
	}
	return fmt.Sprint(path, " ", info.Size(), " ", info.ModTime().UnixNano())
}

// findProgram returns the path of a program in directories; empty if there is none.
func findProgram(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// knowKept marks a command as known if what it would print is kept. Otherwise the parser is
// asked to keep what it prints.
func (p project) knowKept(command sdk.Command) sdk.Command {
	k, ok := p.keep(command.Argv)
	if !ok {
		return command
	}
	state, ok := listed.Look(k.cfg)
	if !ok {
		return command
	}
	_, err := listed.Read(k.path, state.Content)
	command.Known = err == nil
	command.Env = maps.Clone(command.Env)
	if command.Env == nil {
		command.Env = map[string]string{}
	}
	command.Env[stateVariable] = state.Content + " " + state.Stat
	return command
}

// readKept reads what is kept for a command that is known.
func (p project) readKept(command sdk.Command) ([]byte, error) {
	k, ok := p.keep(command.Argv)
	if !ok {
		return nil, errors.New("it is not kept")
	}
	content, _, _ := strings.Cut(command.Env[stateVariable], " ")
	return listed.Read(k.path, content)
}

// keeper collects a listing to keep.
type keeper struct {
	keeping
	// wanted is the state that the sources were in before.
	wanted string
	output []byte
	// own are the directories of packages that can change, modules those in the module
	// cache.
	own, modules map[string]bool
	// unfit reports whether what is listed depends on more than the state.
	unfit bool
}

// newKeeper returns a keeper of what a command prints, or nil.
func (p project) newKeeper(command sdk.Command) *keeper {
	wanted := command.Env[stateVariable]
	if wanted == "" || command.Known {
		return nil
	}
	k, ok := p.keep(command.Argv)
	if !ok {
		return nil
	}
	return &keeper{keeping: k, wanted: wanted, own: map[string]bool{}, modules: map[string]bool{}}
}

// standardPackage is what is needed of a package of the standard library, where nothing
// changes.
type standardPackage struct {
	Name, ImportPath, Root string
	Standard, DepOnly      bool
	ForTest                string   `json:",omitempty"`
	Imports                []string `json:",omitempty"`
}

// add adds a package, as printed.
func (k *keeper) add(pkg *listedPackage, printed []byte) {
	switch {
	case k.unfit, pkg.IsTestMain():
		return
	case pkg.Error != nil, len(pkg.DepsErrors) > 0:
		k.unfit = true
	case pkg.Standard:
		var err error
		short := standardPackage{pkg.Name, pkg.ImportPath, pkg.Root, true, pkg.DepOnly, pkg.ForTest, pkg.Imports}
		printed, err = json.MarshalIndent(short, "", "")
		printed, k.unfit = append(printed, '\n'), err != nil
	case pkg.IsCached():
		k.modules[pkg.Module.Dir] = true
	default:
		k.own[pkg.Dir] = true
	}
	if k.output = append(k.output, printed...); len(k.output) > listed.MaxListing {
		k.output, k.unfit = nil, true
	}
}

// keep keeps the complete listing, if it is of the state that the sources were in before and
// are in now. That it could not be written only means that the next one takes longer.
func (k *keeper) keep() {
	if k.unfit {
		return
	}
	state, ok := listed.Look(k.cfg)
	if !ok || state.Content+" "+state.Stat != k.wanted {
		return
	}
	for dir := range k.own {
		if !state.Has(dir) {
			return
		}
	}
	_ = listed.Write(k.path, state.Content, slices.Sorted(maps.Keys(k.modules)), k.output)
}
