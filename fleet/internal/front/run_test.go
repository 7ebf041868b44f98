package front

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/proctorhq/proctor/fleet/internal/job"
	"github.com/proctorhq/proctor/fleet/internal/store/storetest"
	"github.com/proctorhq/proctor/fleet/internal/work"
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// Whatever the tests do, a run on a fleet ends as proctor run does.
func TestARunOnAFleetEndsLikeALocalOne(t *testing.T) {
	t.Parallel()
	green := files{"a/a_test.go": testFile("a", "TestA", "", "TestB", "t.Skip()"), "b/b_test.go": testFile("b", "TestC", ""), "c/c.go": "package c\n"}
	for _, c := range []struct {
		name    string
		with    files
		dirty   files
		args    []string
		verdict api.Verdict
	}{
		{name: "green", verdict: api.Passed},
		{name: "red", with: files{"d/d_test.go": testFile("d", "TestD", `t.Error("oh")`)}, verdict: api.Failed},
		{name: "red by uncommitted changes", dirty: files{"b/b_test.go": testFile("b", "TestC", `t.Error("dirty")`)}, verdict: api.Failed},
		{name: "green by uncommitted changes", with: files{"d/d_test.go": testFile("d", "TestD", `if _, err := os.ReadFile("new"); err != nil { t.Fatal(err) }`)},
			dirty: files{"d/new": "x"}, verdict: api.Passed},
		{name: "does not build", with: files{"d/d_test.go": testFile("d", "TestD", "nosuch()")}, verdict: api.BuildFailed},
		{name: "panics", with: files{"d/d_test.go": testFile("d", "TestD", `panic("oh")`, "TestE", "")}, verdict: api.Failed},
		{name: "exits", with: files{"d/d_test.go": testFile("d", "TestD", `os.Exit(0)`, "TestE", "")}, verdict: api.Failed},
		{name: "times out", with: files{"d/d_test.go": testFile("d", "TestD", `time.Sleep(time.Hour)`)}, args: []string{"--timeout", "12"}, verdict: api.Incomplete},
		{name: "one package", args: []string{"./a"}, verdict: api.Passed},
		{name: "a filter", args: []string{"-f", "TestB|TestC"}, verdict: api.Passed},
		{name: "a filter that matches nothing", args: []string{"-f", "TestNone"}, verdict: api.NothingRan},
		{name: "three parts", with: files{"d/d_test.go": testFile("d", "TestD", `t.Error("oh")`)}, args: []string{"--shards", "3"}, verdict: api.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := shared.get(t)
			dir := repository(t, green)
			testfiles.WriteAll(t, dir, c.with)
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "more")
			testfiles.WriteAll(t, dir, c.dirty)
			far := s.run(t, "proctor-fleet", dir, c.args...)
			var here []string
			for i := 0; i < len(c.args); i++ {
				if c.args[i] == "--shards" {
					i++
					continue
				}
				here = append(here, c.args[i])
			}
			near := s.run(t, "proctor", dir, here...)
			if len(far.runs) != 1 || len(near.runs) != 1 || near.runs[0].Verdict != c.verdict {
				t.Fatalf("without a fleet %s, with one\n%s%s", near.stdout, far.stdout, far.stderr)
			}
			f, n := far.runs[0], near.runs[0]
			if f.Verdict != n.Verdict {
				t.Errorf("verdict %s (%s), want %s (%s)\n%s", f.Verdict, f.Reason, n.Verdict, n.Reason, far.stderr)
			}
			if far.code != near.code && c.verdict != api.Incomplete { // a merge has no timeout of its own
				t.Errorf("exit code %d, want %d", far.code, near.code)
			}
			if a, b := counts(f), counts(n); a != b {
				t.Errorf("%s; want %s", a, b)
			}
			if f.Outstanding != n.Outstanding {
				t.Errorf("%d outstanding, want %d", f.Outstanding, n.Outstanding)
			}
			if a, b := failed(f), failed(n); !slices.Equal(a, b) {
				t.Errorf("failures %q, want %q", a, b)
			}
			if f.Source.Fingerprint != n.Source.Fingerprint || !f.Merged.Here {
				t.Errorf("state %s, want %s", f.Source.Fingerprint, n.Source.Fingerprint)
			}
		})
	}
}

// A run of everything on a fleet counts as one: it clears what is outstanding locally.
func TestAGreenRunOnAFleetLeavesNothingOutstanding(t *testing.T) {
	t.Parallel()
	s := shared.get(t)
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", `t.Error("oh")`), "b/b_test.go": testFile("b", "TestB", "")})
	if a := s.run(t, "proctor-fleet", dir); a.code != 1 || a.runs[0].Outstanding != 1 {
		t.Fatalf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
	testfiles.WriteAll(t, dir, files{"a/a_test.go": testFile("a", "TestRenamed", "")})
	if a := s.run(t, "proctor-fleet", dir); a.code != 0 || a.runs[0].Outstanding != 0 || a.runs[0].Selection.Narrows() {
		t.Fatalf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
}

// Only a run that is old and has ended is removed; nothing can attach to it then.
func TestAnOldRunIsRemovedFromTheStore(t *testing.T) {
	t.Parallel()
	s := shared.get(t)
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", "")})
	testfiles.WriteAll(t, dir, files{"a/b_test.go": testFile("a", "TestB", "")})
	a := s.run(t, "proctor-fleet", dir)
	if a.code != 0 || len(a.runs) != 1 {
		t.Fatalf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
	id := a.runs[0].RunID
	of := filepath.Join(s.dir, "state/proctor/fleet/store/jobs", id)
	if found, _ := filepath.Glob(of + "/sources/*"); len(found) != 1 {
		t.Errorf("%d packs are stored", len(found))
	}
	prune := func() {
		if out, err := s.command(t.Context(), "proctor-fleet", dir, "prune", "--keep", "3h").CombinedOutput(); err != nil || !strings.Contains(string(out), "removed from the store") {
			t.Errorf("%v: %s", err, out)
		}
	}
	prune()
	if _, err := os.Stat(of); err != nil {
		t.Fatalf("a young run was removed: %v", err)
	}
	_ = filepath.WalkDir(of, func(path string, _ fs.DirEntry, _ error) error {
		old := time.Now().Add(-4 * time.Hour)
		return os.Chtimes(path, old, old)
	})
	prune()
	if _, err := os.Stat(of); err == nil {
		t.Error("an old run was not removed")
	}
	if a := s.run(t, "proctor-fleet", dir, "--attach", id); a.code != 2 || !strings.Contains(a.stderr, "the store has no run "+id) {
		t.Errorf("exit %d, %s", a.code, a.stderr)
	}
}

// What is missing in the store, damaged or edited there is no pass, and is not waited for.
func TestARunWhoseReportIsLostOrDamagedEndsWithAnError(t *testing.T) {
	t.Parallel()
	s := shared.get(t)
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", ""), "b/b_test.go": testFile("b", "TestB", "")})
	a := s.run(t, "proctor-fleet", dir, "--shards", "2")
	if a.code != 0 || len(a.runs) != 1 {
		t.Fatalf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
	id := a.runs[0].RunID
	reports, _ := filepath.Glob(filepath.Join(s.dir, "state/proctor/fleet/store/jobs", id, "attempts/*/*/report.json"))
	if len(reports) != 2 {
		t.Fatalf("%d reports", len(reports))
	}
	whole, err := os.ReadFile(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"lost":      func() error { return os.Remove(reports[0]) },
		"truncated": func() error { return os.WriteFile(reports[0], whole[:len(whole)/2], 0o600) },
		"edited": func() error {
			return os.WriteFile(reports[0], bytes.ReplaceAll(whole, []byte("TestA"), []byte("TestC")), 0o600)
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		a := s.run(t, "proctor-fleet", dir, "--attach", id)
		if a.code == 0 || !strings.Contains(a.stderr, "run "+id+" has ended, and its results cannot be read: the store: ") {
			t.Errorf("%s: exit %d, %s%s", name, a.code, a.stdout, a.stderr)
		}
	}
}

// Sources with submodules travel through a bucket, whether taken from the repository itself or
// from a remote.
func TestSubmodulesTravelThroughABucket(t *testing.T) {
	t.Parallel()
	w := newKillableFleet(t, 0)
	w.env = append(w.env, fmt.Sprintf("PROCTOR_FLEET_STORE=s3+http://%s/%s/of/a/team", storetest.StartVersitygw(t), storetest.Bucket),
		"AWS_ACCESS_KEY_ID="+storetest.AccessKey, "AWS_SECRET_ACCESS_KEY="+storetest.SecretKey)
	w.workers = append(w.workers, nil, nil)
	w.startWorker(0)
	w.startWorker(1)
	origin := func(dir string) string {
		bare := t.TempDir()
		git(t, bare, "init", "-q", "--bare", "-b", "main", ".")
		git(t, dir, "remote", "add", "origin", bare)
		git(t, dir, "push", "-q", "origin", "main")
		return bare
	}
	sub := repository(t, files{"lib/lib.txt": "pushed"})
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", `raw, _ := os.ReadFile("../deps/sub/lib/lib.txt"); if string(raw) != "pushed" { t.Errorf("%s", raw) }`),
		"b/b_test.go": testFile("b", "TestB", `if _, err := os.Stat("../deps/sub/lib/new.txt"); err == nil { t.Error("it is there") }`), "c/c_test.go": testFile("c", "TestC", "")})
	git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin(sub), "deps/sub")
	git(t, dir, "commit", "-q", "-m", "with a submodule")
	remote := origin(dir)
	for n, change := range []files{nil, {"deps/sub/lib/lib.txt": "changed"}, {"deps/sub/lib/lib.txt": "pushed", "deps/sub/lib/new.txt": "new", "c/c_test.go": testFile("c", "TestC", `t.Error("dirty")`)}} {
		testfiles.WriteAll(t, dir, change)
		near := w.run(t, "proctor", dir)
		for _, args := range [][]string{{"--shards", "3"}, {"--shards", "3", "--remote", remote}} {
			far := w.run(t, "proctor-fleet", dir, args...)
			if len(far.runs) != 1 || len(near.runs) != 1 {
				t.Fatalf("change %d: without a fleet %s%s, with one\n%s%s", n, near.stdout, near.stderr, far.stdout, far.stderr)
			}
			if f, l := far.runs[0], near.runs[0]; f.Verdict != l.Verdict || counts(f) != counts(l) || f.Source.Fingerprint != l.Source.Fingerprint || far.code != near.code {
				t.Errorf("change %d: %s (%s), %s; want %s, %s\n%s", n, f.Verdict, f.Reason, counts(f), l.Verdict, counts(l), far.stderr)
			}
		}
	}
}

func counts(r api.Run) string {
	return fmt.Sprintf("passed %d, failed %d, skipped %d, build failed %d, never started %d", r.Counts.Passed, r.Counts.Failed, r.Counts.Skipped, r.Counts.BuildFailed, r.Counts.NeverStarted)
}

func failed(r api.Run) []string {
	var names []string
	for _, f := range r.Failures {
		names = append(names, strings.TrimSpace(f.Suite+" "+f.Test+" "+f.Kind))
	}
	slices.Sort(names)
	return names
}

func TestWhatMakesNoSenseOnAFleetIsRefused(t *testing.T) {
	t.Parallel()
	s := shared.get(t)
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", "")})
	for _, c := range []struct{ args, says string }{
		{"--shard 1/2", "a fleet runs all parts"},
		{"--affected", "a fleet cannot select tests by changes"},
		{"--sources sources.json", "--sources cannot run on a fleet"},
		{"--shards none", "is not a number of parts"},
		{"--attach nosuch", "the store has no run nosuch"},
		{"--store s3://only-a-host", "write s3://ENDPOINT/BUCKET"},
	} {
		a := s.run(t, "proctor-fleet", dir, strings.Fields(c.args)...)
		if a.code != 2 && a.code != 3 || !strings.Contains(a.stderr, c.says) {
			t.Errorf("%s: exit %d, %s", c.args, a.code, a.stderr)
		}
	}
}

// What a machine already has, or has not, is named, with what to do about it.
func TestAProgramThatCannotStartSaysWhatIsInItsWay(t *testing.T) {
	t.Parallel()
	s := shared.get(t)
	other := newSite(t, t.TempDir())
	file := filepath.Join(other.dir, "file")
	testfiles.WriteAll(t, other.dir, files{"file": ""})
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	for _, c := range []struct {
		on   *site
		args string
		says []string
	}{
		{s, fmt.Sprint("dev --slots 0 --port ", other.port), []string{
			fmt.Sprintf("process %d, a proctor-fleet dev at 127.0.0.1:%d, is using %s", s.dev.cmd.Process.Pid, s.port, filepath.Join(s.dir, "state/proctor/fleet/server")),
			fmt.Sprintf("`proctor-fleet worker --server 127.0.0.1:%d`", s.port)}},
		{other, fmt.Sprint("dev --slots 0 --port ", s.port), []string{fmt.Sprintf("port %d is not free", s.port), "give another with --port"}},
		{other, "dev --slots 0 --port 65530", []string{"--port 65530 leaves no room for the seven ports after it", "give 1 to 65528"}},
		{s, "worker --keep 30m", []string{"--keep 30m0s is too short", "give an hour at least, or 0 to keep all"}},
		{s, "dev --keep 30m", []string{"--keep 30m0s is too short"}},
		{s, "worker --slots 1 --dir " + file, []string{"the worker cannot use " + file, "name another with --dir"}},
		{other, "prune --server 127.0.0.1:1", []string{"no Temporal server answers at 127.0.0.1:1"}},
		{other, "worker --server " + mute.Addr().String(), []string{"no Temporal server answers at " + mute.Addr().String()}},
	} {
		out, err := c.on.command(t.Context(), "proctor-fleet", s.dir, strings.Fields(c.args)...).CombinedOutput()
		if err == nil {
			t.Errorf("%s started", c.args)
		}
		for _, says := range c.says {
			if !strings.Contains(string(out), says) {
				t.Errorf("%s: %s\nwant %s", c.args, out, says)
			}
		}
	}
}

func TestASilenceThatLiveWorkersExceedIsRefused(t *testing.T) {
	t.Parallel()
	var usage *api.UsageError
	if _, err := (&fleet{silence: work.LeastSilence - 1}).run(t.Context(), nil, api.RunRequest{}); !errors.As(err, &usage) || !strings.Contains(usage.Error(), "--silence") {
		t.Errorf("%v", err)
	}
}

func TestCountingWorkersOutlivesAServerThatIsRestarted(t *testing.T) {
	t.Parallel()
	refused := errors.New("not allowed")
	away, late := serviceerror.NewUnavailable("EOF"), serviceerror.NewDeadlineExceeded("late")
	for name, c := range map[string]struct {
		answers []error
		none    int // answers without workers that follow
		slots   int
		err     string
		notices int
	}{
		"away once":                    {answers: []error{away}, slots: 3, notices: 1},
		"away, then late":              {answers: []error{away, late, context.DeadlineExceeded}, slots: 3, notices: 1},
		"refused":                      {answers: []error{refused}, err: "not allowed"},
		"away for too long":            {answers: slices.Repeat([]error{away}, 1000), err: "EOF", notices: 1},
		"away, workers connect later":  {answers: slices.Repeat([]error{away}, 40), none: 10, slots: 3, notices: 1},
		"away, and then nobody":        {answers: slices.Repeat([]error{away}, 40), none: 1000, err: "no workers are running", notices: 1},
		"nobody, although it is there": {none: 1000, err: "no workers are running"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				notices, began := 0, time.Now()
				slots, err := countSlots(t.Context(), func(string) { notices++ }, func(context.Context) ([]string, error) {
					if len(c.answers) > 0 {
						err := c.answers[0]
						c.answers = c.answers[1:]
						return nil, err
					}
					if c.none--; c.none >= 0 {
						return nil, nil
					}
					return []string{"a/1 slots=2", "b/1 slots=1"}, nil
				})
				if slots != c.slots || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) || notices != c.notices {
					t.Errorf("%d slots, %v, told %d times", slots, err, notices)
				}
				if took := time.Since(began); took > outageLimit+firstWorkerLimit {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// starting is a client whose server does not answer at first.
type starting struct {
	client.Client
	answers []error
	asked   []string
}

func (s *starting) ExecuteWorkflow(_ context.Context, options client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	s.asked = append(s.asked, options.ID)
	err := s.answers[min(len(s.asked), len(s.answers))-1]
	return nil, err
}

// The server may have taken the run although its answer was lost.
func TestARunStartsOnceAlthoughTheServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	refused := serviceerror.NewPermissionDenied("no", "")
	for name, c := range map[string]struct {
		answers []error
		asked   int
		err     error
	}{
		"late, then taken":           {[]error{context.DeadlineExceeded, serviceerror.NewNamespaceNotFound("default"), nil}, 3, nil},
		"late, and taken before":     {[]error{serviceerror.NewDeadlineExceeded(""), serviceerror.NewUnavailable(""), serviceerror.NewWorkflowExecutionAlreadyStarted("", "", "")}, 3, nil},
		"refused":                    {[]error{refused}, 1, refused},
		"late, until it is too long": {[]error{context.DeadlineExceeded}, 1 + int(outageLimit/pollInterval), context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &starting{answers: c.answers}
				var notices []string
				err := (&fleet{}).startWorkflow(t.Context(), s, job.Job{ID: "id"}, func(text string) { notices = append(notices, text) })
				if !errors.Is(err, c.err) || len(s.asked) != c.asked || slices.ContainsFunc(s.asked, func(id string) bool { return id != workflowID("id") }) {
					t.Errorf("%v, asked %q", err, s.asked)
				}
				if err != nil && !strings.Contains(err.Error(), "proctor run --fleet --attach id") {
					t.Errorf("%v does not say how to go on", err)
				}
				if told := c.asked > 1; told != (len(notices) == 1 && strings.Contains(notices[0], "waiting for it, for up to 1m0s")) {
					t.Errorf("told %q", notices)
				}
			})
		})
	}
}

// A Temporal server that is new has no namespace.
func TestAMissingNamespaceIsNamedWithTheWayToCreateIt(t *testing.T) {
	t.Parallel()
	s := *shared.get(t)
	s.env = append(slices.Clone(s.env), "TEMPORAL_NAMESPACE=nosuch")
	dir := repository(t, files{"a/a_test.go": testFile("a", "TestA", "")})
	if a := s.run(t, "proctor-fleet", dir); a.code != 2 || !strings.Contains(a.stderr, "has no namespace nosuch") || !strings.Contains(a.stderr, "temporal operator namespace create nosuch") {
		t.Errorf("exit %d\n%s%s", a.code, a.stdout, a.stderr)
	}
}
