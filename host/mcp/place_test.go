package mcp

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp/arguments"
	"github.com/proctorhq/proctor/host/mcp/directory"
	"github.com/proctorhq/proctor/host/project"
)

// withPlace changes where a server was started; dir is the workspace of the site.
func withPlace(change func(p *directory.Server, dir string)) setting {
	return func(_ *project.Config, c *Config) { change(&c.Place, c.Place.Dir) }
}

// inRoot starts a server in the root directory, as some clients do.
func inRoot(p *directory.Server, _ string) { p.Dir = rootDirectory() }

func rootDirectory() string {
	if runtime.GOOS == "windows" {
		return `C:\`
	}
	return "/"
}

// placeTree returns a project with a directory in it, and another one beside it.
func placeTree(t *testing.T, settings ...setting) *site {
	t.Helper()
	s := newSite(t, files{"a_test.go": "package a\n", "sub/notes": "", "other/go.mod": "module example.com/o\n"}, settings...)
	dir, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	s.dir = dir
	return s
}

// placeOf returns the place that a call without a client gets.
func (s *site) placeOf(t *testing.T, workspace string) (placed, error) {
	t.Helper()
	session := s.server.session(s.keeper)
	defer session.end()
	return (&call{session: session}).findPlace(t.Context(), workspace)
}

// setEnv adds a directory to the environment of the server.
func setEnv(p *directory.Server, name, dir string) { p.Env = append(p.Env, name+"="+dir) }

func TestTheWorkspaceIsFoundInTheDocumentedOrder(t *testing.T) {
	t.Parallel()
	empty := "/dev" // the user may have left something above a new directory
	if runtime.GOOS == "windows" {
		empty = t.TempDir()
	}
	for name, tt := range map[string]struct {
		place     func(p *directory.Server, dir string)
		workspace string
		dir, by   string
	}{
		"an argument is before all": {
			place: func(p *directory.Server, dir string) {
				p.Allowed = []string{dir}
				setEnv(p, "PROCTOR_WORKSPACE", dir)
			},
			workspace: "other", dir: "other", by: "workspace argument",
		},
		"the first flag is before the environment": {
			place: func(p *directory.Server, dir string) {
				p.Allowed = []string{filepath.Join(dir, "other"), dir}
				setEnv(p, "PROCTOR_WORKSPACE", dir)
			},
			dir: "other", by: "--workspace",
		},
		"a relative flag is relative to the working directory": {
			place: func(p *directory.Server, _ string) { p.Allowed = []string{"other"} }, dir: "other", by: "--workspace",
		},
		"our variable is before another's": {
			place: func(p *directory.Server, dir string) {
				setEnv(p, "CLAUDE_PROJECT_DIR", dir)
				setEnv(p, "PROCTOR_WORKSPACE", filepath.Join(dir, "other"))
			},
			dir: "other", by: "PROCTOR_WORKSPACE",
		},
		"another's variable is before the working directory": {
			place: func(p *directory.Server, dir string) { setEnv(p, "CLAUDE_PROJECT_DIR", filepath.Join(dir, "other")) },
			dir:   "other", by: "CLAUDE_PROJECT_DIR",
		},
		"another's variable need not be a project": {
			place: func(p *directory.Server, _ string) { setEnv(p, "CLAUDE_PROJECT_DIR", empty) },
			dir:   ".", by: "working directory",
		},
		"another's variable need not be a directory": {
			place: func(p *directory.Server, dir string) { setEnv(p, "CLAUDE_PROJECT_DIR", filepath.Join(dir, "gone")) },
			dir:   ".", by: "working directory",
		},
		"an empty variable is not set": {
			place: func(p *directory.Server, _ string) { setEnv(p, "PROCTOR_WORKSPACE", "") }, dir: ".", by: "working directory",
		},
		"the working directory may lie within the project": {
			place: func(p *directory.Server, dir string) { p.Dir = filepath.Join(dir, "sub") }, dir: ".", by: "working directory",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := placeTree(t, withPlace(tt.place))
			got, err := s.placeOf(t, tt.workspace)
			want := placed{api.Where{Dir: filepath.Join(s.dir, tt.dir), Exact: true}, tt.by}
			if err != nil || got != want {
				t.Errorf("place = %+v, %v; want %+v", got, err, want)
			}
		})
	}
}

// A project that is gone, for instance because it was moved, leaves a record that can
// be read.
func TestRecordsWithoutAProjectAreEnoughToAnswer(t *testing.T) {
	s := newSite(t, files{"notes": ""})
	dir, err := filepath.EvalSymlinks(s.dir)
	if err == nil {
		err = os.Remove(filepath.Join(dir, "go.mod"))
	}
	if err != nil {
		t.Fatal(err)
	}
	// Nothing above it is searched.
	t.Setenv("HOME", filepath.Dir(dir))
	t.Setenv("USERPROFILE", filepath.Dir(dir))
	if got, err := s.placeOf(t, ""); err == nil {
		t.Errorf("without records the place is %+v", got)
	}
	s.write(t, files{".proctor/runs/x": "", ".proctor/sessions/x": ""})
	if got, err := s.placeOf(t, ""); err != nil || got != (placed{api.Where{Dir: dir}, "working directory"}) {
		t.Errorf("with records the place is %+v, %v", got, err)
	}
}

func TestARelativeArgumentIsRelativeToTheServersProject(t *testing.T) {
	t.Parallel()
	s := placeTree(t, withPlace(func(p *directory.Server, dir string) { p.Dir = filepath.Join(dir, "sub") }))
	for _, named := range []string{"other", "./other", "sub/../other", filepath.Join(s.dir, "other")} {
		if got, err := s.placeOf(t, named); err != nil || got.where.Dir != filepath.Join(s.dir, "other") {
			t.Errorf("%s is %+v, %v", named, got, err)
		}
	}
	if _, err := placeTree(t, withPlace(inRoot)).placeOf(t, "other"); err == nil {
		t.Error("a relative argument is taken where there is nothing that it could be relative to")
	}
}

func TestNothingOutsideTheGivenDirectoriesCanBeNamed(t *testing.T) {
	t.Parallel()
	s := placeTree(t, withPlace(func(p *directory.Server, dir string) {
		p.Allowed = []string{filepath.Join(dir, "sub"), filepath.Join(dir, "link")}
	}))
	s.write(t, files{"sub/in/go.mod": "module example.com/in\n", "linked/in/go.mod": "module example.com/in\n", "sub2/go.mod": "module example.com/two\n"})
	for link, target := range map[string]string{"sub/out": "other", "link": "linked", "way": "sub/in"} {
		if err := os.Symlink(filepath.Join(s.dir, filepath.FromSlash(target)), filepath.Join(s.dir, filepath.FromSlash(link))); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	for named, want := range map[string]string{"in": "sub/in", "../way": "sub/in", "../link/in": "linked/in", ".": "sub"} {
		if got, err := s.placeOf(t, named); err != nil || got.where.Dir != filepath.Join(s.dir, filepath.FromSlash(want)) {
			t.Errorf("%s is %+v, %v", named, got, err)
		}
	}
	for _, named := range []string{s.dir, "..", "../other", "out", "../sub2", filepath.Dir(s.dir)} {
		_, err := s.placeOf(t, named)
		if _, ok := errors.AsType[*arguments.Error](err); !ok || !strings.Contains(err.Error(), "--workspace") {
			t.Errorf("%s: %v, want an error about the argument", named, err)
		}
	}
}

// Some clients start every server there.
func TestTheRootAndTheHomeDirectoryAreNeverAWorkspace(t *testing.T) {
	t.Parallel()
	s := placeTree(t)
	s.write(t, files{"go.mod": "module example.com/home\n"})
	link := filepath.Join(t.TempDir(), "link")
	dirs := []string{rootDirectory(), s.dir, s.dir + string(filepath.Separator), "~", "~/"}
	if err := os.Symlink(s.dir, link); err == nil {
		dirs = append(dirs, link)
	}
	for _, dir := range dirs {
		for by, place := range map[string]func(p *directory.Server){
			"workspace argument": func(*directory.Server) {},
			"--workspace":        func(p *directory.Server) { p.Allowed = []string{dir} },
			"PROCTOR_WORKSPACE":  func(p *directory.Server) { setEnv(p, "PROCTOR_WORKSPACE", dir) },
			"CLAUDE_PROJECT_DIR": func(p *directory.Server) { setEnv(p, "CLAUDE_PROJECT_DIR", dir) },
			"working directory":  func(p *directory.Server) { p.Dir = dir },
		} {
			if by == "working directory" && strings.HasPrefix(dir, "~") {
				continue
			}
			p := directory.Server{Dir: rootDirectory(), Env: []string{"HOME=" + s.dir, "USERPROFILE=" + s.dir}}
			place(&p)
			s.server.cfg.Place = p
			workspace := ""
			if by == "workspace argument" {
				workspace = dir
			}
			if got, err := s.placeOf(t, workspace); err == nil {
				t.Errorf("%s %s: %+v", by, dir, got)
			}
		}
	}
	// It may be given as a limit.
	s.server.cfg.Place = directory.Server{Allowed: []string{s.dir}, Env: []string{"HOME=" + s.dir, "USERPROFILE=" + s.dir}, Dir: rootDirectory()}
	if got, err := s.placeOf(t, filepath.Join(s.dir, "other")); err != nil {
		t.Errorf("below the home: %+v, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".proctor")); err == nil {
		t.Error("records were begun in the home")
	}
}

func TestAClientInTheRootOfTheFileSystemIsToldWhatToDo(t *testing.T) {
	t.Parallel()
	s := placeTree(t, withPlace(inRoot))
	c := s.connect(t)
	r := c.call(t, "run_tests", nil)
	r.says(t, "no supported project detected in workspace root", true)
	if r.texts[0] != r.str("message") || len(r.texts) != 2 {
		t.Fatalf("the blocks are %q", r.texts)
	}
	for _, want := range []string{
		"--workspace: not given", "PROCTOR_WORKSPACE: not set", "CLAUDE_PROJECT_DIR: not set",
		"working directory: workspace " + rootDirectory() + " is the root of the file system", "roots/list: protocol version 2026-07-28 has no such request",
		`"workspace": "/absolute/path"`, "your user can set PROCTOR_WORKSPACE",
	} {
		if !strings.Contains(r.texts[1], want) || !strings.Contains(r.str("more"), want) {
			t.Errorf("%q is not said in %q, more %q", want, r.texts[1], r.str("more"))
		}
	}
	if again := c.call(t, "run_tests", map[string]any{"workspace": s.dir}); again.failed {
		t.Errorf("with the directory named: %q", again.texts)
	}
}

func TestAVariableThatTheClientDidNotExpandIsExplained(t *testing.T) {
	t.Parallel()
	s := placeTree(t, withPlace(func(p *directory.Server, _ string) { p.Allowed = []string{"${workspaceFolder}"} }))
	if _, err := s.placeOf(t, ""); err == nil || !strings.Contains(err.Error(), "write the path out") {
		t.Errorf("err = %v", err)
	}
	if _, err := s.placeOf(t, s.dir); err == nil {
		t.Error("a limit that means nothing allows everything")
	}
}

func TestAWorkspaceThatIsNamedMustBeADirectory(t *testing.T) {
	t.Parallel()
	s := placeTree(t)
	for _, named := range []string{"gone", "go.mod", "sub\x00"} {
		_, err := s.placeOf(t, named)
		if _, ok := errors.AsType[*api.DirectoryError](err); !ok {
			t.Errorf("%q: %v, want a DirectoryError", named, err)
		}
	}
}

// connectRoots connects a client that works in some directories. If answers is false,
// it never says in which.
func (s *site) connectRoots(t *testing.T, uris []string, answers bool) *client {
	t.Helper()
	m := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for _, uri := range uris {
		m.AddRoots(&mcp.Root{URI: uri}) //lint:ignore SA1019 older clients do
	}
	if !answers {
		m.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "roots/list" {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return next(ctx, method, req)
			}
		})
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	c := &client{served: make(chan struct{})}
	here, there := mcp.NewInMemoryTransports()
	go func() {
		defer close(c.served)
		s.server.Serve(ctx, there)
	}()
	var err error
	if c.session, err = m.Connect(ctx, here, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}); err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.hangUp(t)
		stop()
	})
	return c
}

// fileURI returns the URI of a directory.
func fileURI(dir string) string {
	path := filepath.ToSlash(dir)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func TestTheOneRootOfAnOlderClientIsTheLastResort(t *testing.T) {
	t.Parallel()
	s := placeTree(t, withPlace(inRoot))
	s.write(t, files{"with space/go.mod": "module example.com/space\n"})
	spaced := filepath.Join(s.dir, "with space")
	r := s.connectRoots(t, []string{fileURI(spaced)}, true).call(t, "workspace_info", nil)
	if r.str("workspace") != spaced || r.str("found_by") != "roots/list" {
		t.Errorf("the object is %s", r.raw)
	}
	for want, uris := range map[string][]string{
		"the client has 0 roots":                        nil,
		"the client has 2 roots":                        {fileURI(s.dir), fileURI(spaced)},
		"https://example.com/x is not the URI":          {"https://example.com/x"},
		"is the root of the file system":                {fileURI(rootDirectory())},
		filepath.Join(s.dir, "gone") + ": no such file": {fileURI(filepath.Join(s.dir, "gone"))},
	} {
		if runtime.GOOS == "windows" && strings.Contains(want, "no such file") {
			continue
		}
		r := s.connectRoots(t, uris, true).call(t, "workspace_info", nil)
		if r.str("workspace") != "" || !strings.Contains(r.text(), want) {
			t.Errorf("with the roots %q the text is %q", uris, r.texts)
		}
	}
	// Otherwise the client is not asked.
	s.server.cfg.Place.Dir = s.dir
	if r := s.connectRoots(t, []string{fileURI(spaced)}, false).call(t, "workspace_info", nil); r.str("found_by") != "working directory" {
		t.Errorf("the object is %s", r.raw)
	}
}

func TestAClientThatNeverTellsItsRootsIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	s := placeTree(t, withPlace(inRoot))
	r := s.connectRoots(t, nil, false).call(t, "workspace_info", nil)
	if !strings.Contains(r.text(), "roots/list: the client did not answer within 2s") {
		t.Errorf("the text is %q", r.texts)
	}
}

func TestAToolThatNamesARunLooksInThatRunsWorkspace(t *testing.T) {
	t.Parallel()
	s := placeTree(t)
	session := s.server.session(s.keeper)
	defer session.end()
	c := &call{session: session}
	other := api.Where{Dir: filepath.Join(s.dir, "other"), Exact: true}
	session.jobs.start(task{id: "first1", where: other, args: 1, tests: true}, func(context.Context, api.Listener) (outcome, error) {
		return outcome{run: &api.Run{RunID: "first1", Workspace: other.Dir}}, nil
	}, nil)
	none := func(context.Context, api.Listener) (outcome, error) { return outcome{}, errStopped }
	session.jobs.start(task{id: "second", where: api.Where{Dir: s.dir, Exact: true}, args: 2, tests: true}, none, nil)
	session.jobs.drain()
	for id, want := range map[string]api.Where{
		"first1": other, "": other, "unknown": {Dir: s.dir, Exact: true},
	} {
		if got, err := c.whereRun(t.Context(), "", id); err != nil || got != want {
			t.Errorf("run %q is in %+v, %v; want %+v", id, got, err, want)
		}
		if got, err := c.whereRun(t.Context(), s.dir, id); err != nil || got.Dir != s.dir {
			t.Errorf("run %q with the workspace named is in %+v, %v", id, got, err)
		}
	}
}
