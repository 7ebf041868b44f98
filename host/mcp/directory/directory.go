package directory

import (
	"errors"
	"fmt"
	"net/url"
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

// Server is where a server was started, which decides which workspace a call means.
type Server struct {
	// Allowed are the directories given with --workspace. The first is the default, and
	// a call may name nothing outside of them; empty means no limit.
	Allowed []string
	// Env is the environment of the process, Dir its working directory.
	Env []string
	Dir string
}

// errNoDirectory is why a path cannot be a workspace.
var errNoDirectory = errors.New("not a directory")

// Resolve returns a directory's path, absolute and without symbolic links, if it may be
// a workspace. A relative one is relative to base.
func (p Server) Resolve(base, dir string) (string, error) {
	// Clients are configured with variables that other clients know.
	if strings.Contains(dir, "${") {
		return "", &arguments.Error{Reason: fmt.Sprintf("workspace %s: the client has put nothing in the place of ${...}; write the path out", Name(dir))}
	}
	path := p.InHome(dir)
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &api.DirectoryError{Dir: Name(path), Err: pathCause(err)}
	}
	if st, err := os.Stat(resolved); err != nil || !st.IsDir() {
		return "", &api.DirectoryError{Dir: Name(path), Err: errNoDirectory}
	}
	if what := p.whyForbidden(resolved); what != "" {
		return "", &arguments.Error{Reason: fmt.Sprintf("workspace %s is %s, which is never taken as a workspace: everything below it would be one project; name the directory of a project", Name(resolved), what)}
	}
	return resolved, nil
}

// maxName bounds a path in a sentence: clients and models may send any text.
const maxName = 512

// Name formats a path for a sentence.
func Name(path string) string {
	name := prose.Line(path)
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + fmt.Sprintf("… [cut: %d bytes in all]", len(path))
}

// pathCause removes the path from an error.
func pathCause(err error) error {
	if wrong, ok := errors.AsType[*os.PathError](err); ok {
		return wrong.Err
	}
	return err
}

// whyForbidden says why a directory can never be a workspace; empty for a normal one.
func (p Server) whyForbidden(dir string) string {
	if filepath.Dir(dir) == dir {
		return "the root of the file system"
	}
	if home := p.home(); home != "" && sameDirectory(dir, home) {
		return "the home directory"
	}
	return ""
}

// home returns the user's home directory; empty if unknown.
func (p Server) home() string {
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

// InHome replaces a leading "~", which no shell has seen, by the home directory.
func (p Server) InHome(dir string) string {
	rest, ok := strings.CutPrefix(dir, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) || p.home() == "" {
		return dir
	}
	return filepath.Join(p.home(), rest)
}

// IsAllowed reports whether a call may name a directory, which is resolved.
func (p Server) IsAllowed(dir string) bool {
	for _, root := range p.Allowed {
		path := p.InHome(root)
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

// OfURI returns the path of a file URI; empty if it has none.
func OfURI(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/work
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		return ""
	}
	return path
}
