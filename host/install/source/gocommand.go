package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/procgroup"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// maxOutput bounds the go command's output, in bytes: a module with a thousand versions
// has 20 KiB.
const maxOutput = 8 << 20

// maxComplaint bounds how much of its errors is examined, in bytes: the lines about
// downloads, which are dropped, come first.
const maxComplaint = 64 << 10

// downloads matches the lines that report downloads.
var downloads = lazyregexp.New(`(?m)^go: downloading .*$`)

// goCommand is the user's go command, in an empty directory.
type goCommand struct {
	path string
	env  []string
	// address is for errors; dir is where it runs, bin where it installs, out where its
	// output goes.
	address, dir, bin, out string
	// database vouches for modules, as in GOSUMDB; excepted are the modules exempt from
	// it, as in GONOSUMDB.
	database, excepted string
}

// vouched reports whether a module is compared with a checksum database.
func (c *goCommand) vouched(module string) bool {
	if c.database == "off" {
		return false
	}
	for pattern := range strings.SplitSeq(c.excepted, ",") {
		if matchesPrefix(pattern, module) {
			return false
		}
	}
	return true
}

// matchesPrefix reports whether a pattern matches a prefix of a path with the same
// number of elements, as Go understands GOPRIVATE and similar settings.
func matchesPrefix(pattern, module string) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	elements := strings.Split(module, "/")
	n := strings.Count(pattern, "/") + 1
	if pattern == "" || n > len(elements) {
		return false
	}
	matched, err := path.Match(pattern, strings.Join(elements[:n], "/"))
	return err == nil && matched
}

// newGoCommand finds the go command and asks it for the user's settings.
func newGoCommand(ctx context.Context, cfg Config, address, work string) (*goCommand, error) {
	program := lookPath(cfg.Env)
	if program == "" {
		return nil, errors.New(address + ": there is no go command in PATH, and a Go module must be built: install Go from https://go.dev/dl/, or install the plugin from an index")
	}
	c := &goCommand{path: program, address: address}
	for name, dir := range map[string]*string{"empty": &c.dir, "bin": &c.bin, "out": &c.out, "tmp": nil} {
		made := filepath.Join(work, name)
		if err := os.Mkdir(made, privateDir); err != nil {
			return nil, err
		}
		if dir != nil {
			*dir = made
		}
	}
	return c, c.settle(ctx, cfg, filepath.Join(work, "tmp"))
}

// run runs it and returns its output, even if it fails. It ends with ctx, along with
// everything it started.
func (c *goCommand) run(ctx context.Context, args ...string) ([]byte, error) {
	// Files, since a pipe would stay open as long as any process that left the process
	// group.
	stdout, err := os.CreateTemp(c.out, "stdout-")
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	stderr, err := os.CreateTemp(c.out, "stderr-")
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	p, err := procgroup.Start(ctx, procgroup.Config{
		Path: c.path, Args: append([]string{c.path}, args...), Dir: c.dir, Env: c.env, Stdout: stdout, Stderr: stderr,
	})
	if err != nil {
		return nil, err
	}
	exit, err := p.Wait(ctx)
	p.Release()
	if err != nil {
		return nil, &FetchError{Address: c.address, Reason: reasonOf(err), Err: err}
	}
	out, err := beginning(stdout, maxOutput)
	if err != nil {
		return nil, err
	}
	if exit.Code == 0 && exit.Signal == "" {
		return out, nil
	}
	said, err := beginning(stderr, maxComplaint)
	if err != nil {
		return nil, err
	}
	return out, &FetchError{Address: c.address, Reason: fmt.Sprintf("go %s: %v: %s", strings.Join(args[:min(len(args), 2)], " "), exit, clipTo(downloads.ReplaceAllString(string(said), ""), maxSaid))}
}

// beginning returns the start of a file that somebody else wrote to.
func beginning(f *os.File, limit int64) ([]byte, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// lookPath finds the go command in an environment's PATH. Relative entries would depend
// on proctor's working directory.
func lookPath(env []string) string {
	name := "go"
	if onWindows {
		name = "go.exe"
	}
	for _, dir := range filepath.SplitList(workspace.Getenv(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		program := filepath.Join(dir, name)
		if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() && (onWindows || info.Mode()&0o111 != 0) {
			return program
		}
	}
	return ""
}

// errNoCache reports that the go command does not know where to keep modules.
var errNoCache = errors.New("the go command knows no module cache: set HOME, or GOMODCACHE")
