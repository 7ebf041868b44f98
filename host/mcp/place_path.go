package mcp

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
)

// errNoDirectory is why a path cannot be a workspace.
var errNoDirectory = errors.New("not a directory")

// resolve returns a directory's path, absolute and without symbolic links, if it may be
// a workspace. A relative one is relative to base.
func (p Place) resolve(base, dir string) (string, error) {
	// Clients are configured with variables that other clients know.
	if strings.Contains(dir, "${") {
		return "", &arguments.Error{Reason: fmt.Sprintf("workspace %s: the client has put nothing in the place of ${...}; write the path out", placeName(dir))}
	}
	path := p.inHome(dir)
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &api.DirectoryError{Dir: placeName(path), Err: pathCause(err)}
	}
	if st, err := os.Stat(resolved); err != nil || !st.IsDir() {
		return "", &api.DirectoryError{Dir: placeName(path), Err: errNoDirectory}
	}
	if what := p.whyForbidden(resolved); what != "" {
		return "", &arguments.Error{Reason: fmt.Sprintf("workspace %s is %s, which is never taken as a workspace: everything below it would be one project; name the directory of a project", placeName(resolved), what)}
	}
	return resolved, nil
}

// placeName formats a path for a sentence: clients and models may send any text.
func placeName(path string) string { return cutText(path, 512, prose.Line) }

// pathCause removes the path from an error.
func pathCause(err error) error {
	var wrong *os.PathError
	if errors.As(err, &wrong) {
		return wrong.Err
	}
	return err
}

// whyForbidden says why a directory can never be a workspace; empty for a normal one.
func (p Place) whyForbidden(dir string) string {
	if filepath.Dir(dir) == dir {
		return "the root of the file system"
	}
	if home := p.home(); home != "" && sameDirectory(dir, home) {
		return "the home directory"
	}
	return ""
}

// home returns the user's home directory; empty if unknown.
func (p Place) home() string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if home := workspace.Getenv(p.Env, name); filepath.IsAbs(home) {
		return home
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return ""
}

// inHome replaces a leading "~", which no shell has seen, by the home directory.
func (p Place) inHome(dir string) string {
	rest, ok := strings.CutPrefix(dir, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) || p.home() == "" {
		return dir
	}
	return filepath.Join(p.home(), rest)
}

// isAllowed reports whether a call may name a directory, which is resolved.
func (p Place) isAllowed(dir string) bool {
	for _, root := range p.Allowed {
		path := p.inHome(root)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.Dir, path)
		}
		if resolved, err := filepath.EvalSymlinks(path); err == nil && isWithin(dir, resolved) {
			return true
		}
	}
	return len(p.Allowed) == 0
}

// isWithin reports whether a directory is root or below it. Some file systems fold case,
// so names do not suffice.
func isWithin(dir, root string) bool {
	for {
		if sameDirectory(dir, root) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

func sameDirectory(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
