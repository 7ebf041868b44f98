package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/internal/fakeplugin"
	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// clone makes another workspace of the commit, as another machine has one.
func (w *module) clone(name string) *module {
	w.t.Helper()
	other := *w
	other.dir = filepath.Join(filepath.Dir(w.dir), name)
	other.env = append(w.env[:len(w.env):len(w.env)], "PROCTOR_SESSION="+name)
	w.git("clone", "-q", w.dir, other.dir)
	return &other
}

// sharded runs the shards of a commit, each on a machine of its own, and returns the
// directory of their reports, outside of any workspace.
func (w *module) sharded(of int, args ...string) (reports string) {
	w.t.Helper()
	reports = filepath.Join(filepath.Dir(w.dir), "reports")
	for i := range of {
		w.clone(fmt.Sprintf("shard%d", i+1)).shard(reports, fmt.Sprintf("%d/%d", i+1, of), args...)
	}
	return reports
}

// shard runs one shard.
func (w *module) shard(reports, shard string, args ...string) reply {
	w.t.Helper()
	name := strings.ReplaceAll(shard, "/", "of")
	if i := slices.Index(args, "--attempt"); i >= 0 {
		name += "-" + args[i+1]
	}
	name += ".json"
	return w.proctor(append([]string{"run", "--shard", shard, "--report", "json=" + filepath.Join(reports, name)}, args...)...)
}

// manySuites has a suite of each kind.
func manySuites() files {
	return files{
		"go.mod":             "module example.com/m\n\ngo 1.24\n",
		"good/a_test.go":     "package good\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) { t.Run(\"sub\", func(t *testing.T) {}) }\nfunc TestSkips(t *testing.T) { t.Skip(\"no\") }\n",
		"bad/a_test.go":      "package bad\n\nimport \"testing\"\n\nfunc TestBad(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { t.Error(\"wrong\") }) }\nfunc TestFine(t *testing.T) {}\n",
		"skipped/a_test.go":  "package skipped\n\nimport \"testing\"\n\nfunc TestSkipped(t *testing.T) { t.Skip(\"never\") }\n",
		"none/none.go":       "package none\n",
		"unbuilt/a.go":       "package unbuilt\n\nvar x int = \"text\"\n",
		"user/a_test.go":     "package user\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/m/unbuilt\"\n)\n\nfunc TestUser(t *testing.T) {}\n",
		"unloadable/a.go":    "package one\n",
		"unloadable/b.go":    "package two\n",
		"panics/a_test.go":   "package panics\n\nimport \"testing\"\n\nfunc TestBefore(t *testing.T) {}\nfunc TestPanics(t *testing.T) { panic(\"at the end\") }\nfunc TestAfter(t *testing.T) {}\n",
		"init/a_test.go":     "package init_test\n\nimport \"testing\"\n\nfunc init() { panic(\"too early\") }\nfunc TestInit(t *testing.T) {}\n",
		"leaves/a_test.go":   "package leaves\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\nfunc TestLeft(t *testing.T) {}\n",
		"large/a_test.go":    "package large\n\nimport \"testing\"\n\n" + manyTests(40),
		"large/testmain.txt": "a file\n",
	}
}

func manyTests(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func TestLarge%d(t *testing.T) {}\n", i)
	}
	return b.String()
}

// machine is a workspace of [module.clone] in a message.
var machine = regexp.MustCompile(`/\S*/shard\d`)

// outcome is what a run proved, as far as it must not depend on how it was divided.
func outcome(run api.Run) map[string]any {
	var failures, results []string
	for _, f := range run.Failures {
		f.Message = strings.ReplaceAll(f.Message, run.Workspace, "") // of whichever machine
		f.Message = machine.ReplaceAllString(f.Message, "")
		failures = append(failures, strings.Join([]string{f.Suite, f.Test, f.Kind, f.Message}, "|"))
	}
	for _, r := range run.Results {
		results = append(results, fmt.Sprintf("%s|%s|%s", r.Suite, r.Test, r.Status))
	}
	slices.Sort(failures)
	slices.Sort(results)
	return map[string]any{
		"verdict": run.Verdict, "counts": run.Counts, "failures": failures, "results": results,
		"never started": run.NeverStarted, "outstanding": run.OutstandingCounts,
	}
}

func TestShardsTogetherAreTheRunOfEverything(t *testing.T) {
	t.Parallel()
	green := func(tree files) {
		for _, path := range []string{"bad/a_test.go", "unbuilt/a.go", "user/a_test.go", "unloadable/a.go", "unloadable/b.go", "panics/a_test.go", "init/a_test.go", "leaves/a_test.go"} {
			delete(tree, path)
		}
	}
	few := func(tree files) {
		green(tree)
		tree["bad/a_test.go"] = manySuites()["bad/a_test.go"]
	}
	for name, tc := range map[string]struct {
		change func(files)
		args   []string
	}{
		"red":               {func(files) {}, nil},
		"green":             {green, nil},
		"twice":             {few, []string{"-count=2"}},
		"some of the tests": {green, []string{"./good", "./large", "./skipped", "-f", "Good|Large1|Skipped"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := manySuites()
			tc.change(tree)
			w := newModule(t, tree)
			w.write(files{".gitignore": ".proctor\n"})
			w.commit()
			reports := w.sharded(3, tc.args...)
			one := w.clone("one")
			_, want := one.object(append([]string{"run"}, tc.args...)...)
			whole, _ := one.object("runs", "show")
			merging := w.clone("merging")
			r := merging.proctor("merge", reports, "--expect", "3")
			merged, _ := merging.object("runs", "show")
			if r.code != want.code {
				t.Errorf("exit code %d, and %d of one run:\n%s", r.code, want.code, r.stdout)
			}
			if diff := cmp.Diff(outcome(whole), outcome(merged)); diff != "" {
				t.Errorf("one run and the merge of its shards differ (-one +merge):\n%s", diff)
			}
			list := func(w *module) string {
				return strings.ReplaceAll(w.proctor("rerun", "--list").stdout, merged.RunID, whole.RunID)
			}
			if a, b := list(one), list(merging); withoutAges(a) != withoutAges(b) {
				t.Errorf("outstanding after one run:\n%s\nafter the merge:\n%s", a, b)
			}
			if merged.Kind != api.KindMerge || merged.Merged == nil || len(merged.Merged.Problems) > 0 || !merged.Merged.Here {
				t.Errorf("%+v", merged.Merged)
			}
		})
	}
}

// withoutAges returns the lines of a listing, each with its heading but without since when:
// entries are grouped by that, and a second may pass between two of them.
func withoutAges(text string) string {
	var lines []string
	heading := ""
	for line := range strings.Lines(text) {
		if of, _, found := strings.Cut(line, ", since run "); found {
			heading = of
			continue
		}
		lines = append(lines, heading+": "+line)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// smallTree has two suites of shell tests, one of which is red with BROKEN.
func smallTree() files {
	return files{
		"a.tests":    "TestA " + `[ -z "$BROKEN" ] || { echo wrong; false; }` + "\n",
		"b.tests":    "TestB true\n",
		".gitignore": ".proctor\n",
	}
}

func TestAMergeThatIsNotWholeNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, smallTree())
	w.commit()
	reports := w.sharded(3)
	merging := w.clone("merging")
	for _, tc := range []struct {
		name    string
		args    []string
		texts   []string
		missing string
	}{
		{"a shard that did not come", []string{"1of3.json", "3of3.json"}, []string{"INCOMPLETE", "shard 2/3 is missing, with b"}, "b"},
		{"a shard to which the plan gives nothing", []string{"1of3.json", "2of3.json"}, []string{"INCOMPLETE", "shard 3/3 is missing, to which the plan gives nothing"}, ""},
		{"fewer than expected", []string{"1of3.json", "2of3.json", "3of3.json", "--expect", "4"}, []string{"INCOMPLETE", "the plan has 3 shards, and 4 are expected", "shard 4/4 is missing"}, ""},
	} {
		args := []string{"merge"}
		for _, arg := range tc.args {
			if strings.HasSuffix(arg, ".json") {
				arg = filepath.Join(reports, arg)
			}
			args = append(args, arg)
		}
		t.Log(tc.name)
		merging.proctor(args...).expect(t, 6, tc.texts...)
		if tc.missing != "" {
			merging.proctor("rerun", "--list").expect(t, 0, tc.missing)
		}
	}
	w.write(files{"../reports/1of3-ctrf.json": "{\"reportFormat\":\"CTRF\"\n}\n", "../reports/1of3.xml": "<testsuites/>\n", "../reports/alone.xml": "<testsuites/>\n"})
	beside := merging.proctor("merge", reports, "--expect", "3")
	beside.expect(t, 0, "PASSED  2 tests (3 shards)", "not read: ", "1of3-ctrf.json", "alone.xml")
	if strings.Contains(beside.stdout+beside.stderr, "1of3.xml") {
		t.Errorf("the same run for other programs is told as not read: %s", beside.stdout+beside.stderr)
	}
	merging.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding")
	merging.proctor("merge", reports, "--expect", "3").expect(t, 0, "already on record")

	raw, err := os.ReadFile(filepath.Join(reports, "1of3.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(reports, "1of3.json"), raw[:len(raw)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	merging.proctor("merge", reports, "--expect", "3").expect(t, 6, "1of3.json cannot be used, and may be cut off", "shard 1/3 is missing, with a")
	merging.proctor("merge", filepath.Join(reports, "1of3.json")).expect(t, 2)
	merging.proctor("merge", filepath.Join(reports, "nowhere")).expect(t, 2)
	merging.proctor("merge").expect(t, 2)
}

func TestARepeatedJobReplacesTheFirstAndHidesNothing(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]struct {
		code  int
		texts []string
		left  string
	}{
		"":                          {1, []string{"FAILED  1 flaky: failed, then passed when retried", "passed on the 2nd try: flaky", "attempt 2 replaces attempt 1 (failed)"}, "TestA"},
		"[run]\nflaky = \"pass\"\n": {0, []string{"PASSED (1 flaky)"}, "nothing is outstanding"},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			tree := smallTree()
			if policy != "" {
				tree[".proctor.toml"] = policy
			}
			w := newShellModule(t, tree)
			w.commit()
			reports := filepath.Join(filepath.Dir(w.dir), "reports")
			broken := w.clone("first")
			broken.setenv("BROKEN=1")
			broken.shard(reports, "1/2").expect(t, 1)
			w.clone("second").shard(reports, "1/2", "--attempt", "2").expect(t, 0)
			w.clone("third").shard(reports, "2/2").expect(t, 0)
			merging := w.clone("merging")
			merging.proctor("merge", reports, "--expect", "2").expect(t, want.code, want.texts...)
			merging.proctor("rerun", "--list").expect(t, 0, want.left)
			merging.proctor("history", "--flaky").expect(t, 0, "a TestA")

			if err := os.Remove(filepath.Join(reports, "1of2.json")); err != nil {
				t.Fatal(err)
			}
			w.clone("later").proctor("merge", reports, "--expect", "2").expect(t, 0, "shard 1/2: what attempt 1 showed is unknown: there is no report of it")
		})
	}
}

func TestALanguageThatNoShardHadIsMissed(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, smallTree())
	w.commit()
	fake := "fake=" + fakeplugin.New(t, "fake", fakeplugin.Script{})
	merging := w.clone("merging")
	reports := w.sharded(1)
	merging.proctor("--plugin", fake, "merge", reports).expect(t, 6, "no report is of fake, although the workspace has a project of it")
	w.clone("named").shard(reports, "1/1", "--lang", "go").expect(t, 0)
	merging.proctor("--plugin", fake, "merge", reports).expect(t, 0)
}

// What kept an attempt from running says nothing about the tests, and is told of only while
// nothing replaces it.
func TestAnAttemptThatRanNothingIsReplaced(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, smallTree())
	w.commit()
	reports := filepath.Join(filepath.Dir(w.dir), "reports")
	w.clone("first").shard(reports, "1/2", "--timings", "nowhere").expect(t, 2)
	w.clone("second").shard(reports, "2/2").expect(t, 0)
	merging := w.clone("merging")
	merging.proctor("merge", reports).expect(t, 6, "says of shard 1/2: there was no run: nowhere: no such file", "shard 1/2 is missing, with a")
	merging.proctor("rerun", "--list").expect(t, 0, "a\n")
	merging.proctor("failures", "--from", reports).expect(t, 2, "there was no run: nowhere")
	w.clone("third").shard(reports, "1/2", "--attempt", "2").expect(t, 0)
	merging.proctor("merge", reports).expect(t, 0, "shard 1/2: attempt 2 replaces attempt 1 (tool error)", "PASSED  2 tests (2 shards)")
	merging.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding")
}

// What narrows each shard narrows the merge, which may be all that anybody looks at.
func TestAMergeIsNarrowedAsItsShardsAre(t *testing.T) {
	t.Parallel()
	w := newModule(t, shortTree())
	w.commit()
	arg := w.sharded(1, "-short")
	w.clone("arg").proctor("merge", arg).expect(t, 0, "PASSED  1 test (1 shard; narrowed by -short) ")
	w.setenv("GOFLAGS=" + testbin.GoFlags() + " -short")
	// Settings may leave it out, as in each shard: that it did not run is no proof that it does not exist.
	w.write(files{".proctor-quarantine.toml": "[[test]]\nlanguage = \"go\"\nsuite = \"example.com/m/a\"\ntest = \"TestElsewhere\"\nreason = \"known\"\nsignature = \"6261849968fd73d034328c04e\"\n"})
	w.commit()
	variable := filepath.Join(filepath.Dir(w.dir), "variable")
	one := w.clone("one")
	one.shard(variable, "1/1").expect(t, 0)
	one.proctor("merge", variable).expect(t, 0, "PASSED  1 test (1 shard; narrowed by settings: -short in GOFLAGS)")
	w.write(files{".proctor.toml": "[run.go]\nargs = [\"-short\"]\n"})
	w.commit()
	file := filepath.Join(filepath.Dir(w.dir), "file")
	two := w.clone("two")
	two.shard(file, "1/1").expect(t, 0)
	two.proctor("merge", file).expect(t, 0, "PASSED  1 test (1 shard; narrowed by settings: -short in .proctor.toml)")
}

func TestAMergeOfOtherSourcesChangesNothingHere(t *testing.T) {
	t.Parallel()
	w := newModule(t, goTree())
	w.commit()
	reports := filepath.Join(filepath.Dir(w.dir), "reports")
	broken := w.clone("broken")
	broken.setenv("BROKEN=1")
	broken.shard(reports, "1/1").expect(t, 1)

	merging := w.clone("merging")
	merging.write(files{"b/b.go": "package b\n"})
	last, _ := merging.object("run")
	merging.proctor("merge", reports).expect(t, 1, "the shards ran on other sources than those here")
	merging.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding")
	if now, _ := merging.object("runs", "show"); now.RunID != last.RunID {
		t.Errorf("the last run is %s, a %s", now.RunID, now.Kind)
	}
	merging.remove("b/b.go")
	merging.proctor("merge", reports).expect(t, 1, "FAILED")
	merging.proctor("failures").expect(t, 0, "a TestA", "wrong")
	merging.proctor("output", "TestA").expect(t, 0, "a_test.go:10: wrong")
	merging.proctor("output", "TestB").expect(t, 2)
	merging.proctor("why", "TestA").expect(t, 0, "It failed in run")
	merging.proctor("rerun", "--list").expect(t, 0, "   a TestA\n")

	// What is red here stays so, whatever is green elsewhere.
	green := filepath.Join(filepath.Dir(w.dir), "green")
	w.clone("green-shard").shard(green, "1/1").expect(t, 0)
	merging.write(files{"b/b.go": "package b\n"})
	merging.proctor("merge", green).expect(t, 0, "what is outstanding here has not changed")
	merging.proctor("rerun", "--list").expect(t, 0, "   a TestA\n")
	merging.remove("b/b.go")
	merging.proctor("merge", green).expect(t, 0)
	merging.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding")
}

// A shard's file may say anything.
func TestAShardCannotClaimTheFailureOfAnotherForItsQuarantine(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{"a/a_test.go": tests("a", "TestA", fail), "b/b_test.go": tests("b", "TestB", pass)})
	w.commit()
	reports := filepath.Join(filepath.Dir(w.dir), "reports")
	w.clone("one").shard(reports, "1/2")
	w.clone("two").shard(reports, "2/2")
	claimed := 0
	found, err := filepath.Glob(filepath.Join(reports, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if edited := strings.Replace(string(text), `"verdict":"passed",`, `"verdict":"passed","quarantined":50,`, 1); edited != string(text) {
			claimed++
			testfiles.Write(t, path, edited)
		}
	}
	if claimed != 1 {
		t.Fatalf("%d of %q claim something", claimed, found)
	}
	merging := w.clone("merging")
	merging.write(files{"b/b.go": "package b\n"})
	merging.proctor("merge", reports).expect(t, 1, "FAILED  1 failure")
}

func TestAMergeHeedsTheQuarantineAsOneRunDoes(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]string{"known": {"TestA"}, "gone": {"TestA", "TestNowhere"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newShellModule(t, smallTree())
			w.setenv("BROKEN=1")
			w.commit()
			w.proctor("run").expect(t, 1)
			for _, test := range entries[:1] {
				w.proctor("quarantine", "add", test, "--reason", "known").expect(t, 0)
			}
			raw, err := os.ReadFile(filepath.Join(w.dir, ".proctor-quarantine.toml"))
			if err != nil {
				t.Fatal(err)
			}
			text := string(raw)
			for _, test := range entries[1:] {
				text += strings.ReplaceAll(text[strings.Index(text, "[[test]]"):], "TestA", test)
			}
			w.write(files{".proctor-quarantine.toml": text})
			w.commit()
			reports := w.sharded(2)
			one, merging := w.clone("one"), w.clone("merging")
			want := one.proctor("run")
			whole, _ := one.object("runs", "show")
			got := merging.proctor("merge", reports, "--expect", "2")
			merged, _ := merging.object("runs", "show")
			if got.code != want.code || merged.Quarantined != whole.Quarantined || merged.OutstandingQuarantined != whole.OutstandingQuarantined {
				t.Errorf("one run:\n%s\nthe merge:\n%s", want.stdout, got.stdout)
			}
			if diff := cmp.Diff(outcome(whole), outcome(merged)); diff != "" {
				t.Errorf("one run and the merge of its shards differ (-one +merge):\n%s", diff)
			}
			// The sources differ: the file here says nothing about them.
			elsewhere := w.clone("elsewhere")
			elsewhere.write(files{"b/b.go": "package b\n", ".proctor-quarantine.toml": "\n"})
			if name == "known" {
				elsewhere.proctor("merge", reports, "--expect", "2").expect(t, 0, "1 failure in quarantine (.proctor-quarantine.toml changed in the last commit)")
				again := w.clone("again")
				again.setenv("BROKEN=")
				for _, shard := range []string{"1/2", "2/2"} {
					again.shard(reports, shard, "--attempt", "2")
				}
				for _, place := range []*module{merging, elsewhere} {
					place.proctor("merge", reports, "--expect", "2").expect(t, 0, "1 failure in quarantine", "attempt 2 replaces")
				}
			}
		})
	}
}

// Git may ignore the file: then the sources here are those of the shards, and the quarantine is not.
func TestAMergeDoesNotPassByAQuarantineThatOnlyTheShardsHave(t *testing.T) {
	t.Parallel()
	tree := smallTree()
	tree[".gitignore"] += ".proctor-quarantine.toml\n"
	w := newShellModule(t, tree)
	w.setenv("BROKEN=1")
	w.commit()
	reports := filepath.Join(filepath.Dir(w.dir), "reports")
	merging := w.clone("merging")
	w.proctor("run").expect(t, 1)
	w.proctor("quarantine", "add", "TestA", "--reason", "known").expect(t, 0)
	w.shard(reports, "1/1").expect(t, 0, "1 failure in quarantine")
	merging.proctor("merge", reports).expect(t, 1, "FAILED  1 test")
}

// Another test's known failure in the same attempt accounts for nothing that a flaky test did.
func TestAnAttemptOfAMergeThatFailedIsRedBesideAKnownFailure(t *testing.T) {
	t.Parallel()
	tree := smallTree()
	tree["b.tests"] = "TestB " + `[ -z "$KNOWN" ] || { echo known; false; }` + "\n"
	w := newShellModule(t, tree)
	w.setenv("KNOWN=1")
	w.commit()
	w.proctor("run").expect(t, 1)
	w.proctor("quarantine", "add", "TestB", "--reason", "known").expect(t, 0)
	w.commit()
	reports := filepath.Join(filepath.Dir(w.dir), "reports")
	for i, env := range [][]string{{"BROKEN=1", "KNOWN="}, {"BROKEN=1", "KNOWN=1"}, {"BROKEN=", "KNOWN="}} {
		machine := w.clone(fmt.Sprintf("machine%d", i))
		machine.setenv(env...)
		machine.shard(reports, "1/1", "--attempt", fmt.Sprint(i+1))
	}
	for _, elsewhere := range []bool{true, false} {
		merging := w.clone(fmt.Sprintf("elsewhere-%t", elsewhere))
		if elsewhere {
			merging.write(files{"b/b.go": "package b\n"})
		}
		merged, _ := merging.object("merge", reports)
		if len(merged.Retried) != 1 || len(merged.Retried[0].Attempts) != 2 {
			t.Fatalf("retried: %+v", merged.Retried)
		}
		second, _ := merging.object("runs", "show", merged.Retried[0].Attempts[0].RunID)
		if second.Verdict != api.Failed || second.Quarantined != 0 {
			t.Errorf("elsewhere %t: the attempt is %s (%s), with %d in quarantine", elsewhere, second.Verdict, second.Reason, second.Quarantined)
		}
	}
}

func TestAMergeClearsNothingThatFailedSince(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, smallTree())
	w.commit()
	reports := w.sharded(2)
	merging := w.clone("merging")
	broken := *merging
	broken.env = append(merging.env[:len(merging.env):len(merging.env)], "BROKEN=1")
	broken.proctor("run").expect(t, 1)
	merging.proctor("merge", reports, "--expect", "2").expect(t, 0, "PASSED")
	merging.proctor("rerun", "--list").expect(t, 0, "   a TestA\n")
	merging.proctor("rerun").expect(t, 0)
	merging.proctor("rerun", "--list").expect(t, 0, "nothing is outstanding")
}

func TestReportsOfShardsAreNotSources(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, smallTree())
	w.commit()
	reports := w.sharded(2)
	merging := w.clone("merging")
	inside := filepath.Join(merging.dir, "shards")
	if err := os.CopyFS(inside, os.DirFS(reports)); err != nil {
		t.Fatal(err)
	}
	merging.proctor("merge", "shards", "--expect", "2").expect(t, 0)
	if run, _ := merging.object("runs", "show"); run.Merged == nil || !run.Merged.Here {
		t.Errorf("%+v", run.Merged)
	}
	if text := merging.proctor("failures", "--from", "shards").stdout; !strings.Contains(text, "PASSED") || strings.Contains(text, "changed since") {
		t.Error(text)
	}
}

func TestTimingsGiveEveryShardTheSamePlan(t *testing.T) {
	t.Parallel()
	w := newShellModule(t, smallTree())
	w.commit()
	w.proctor("timings").expect(t, 2)
	w.proctor("run").expect(t, 0)
	r := w.proctor("timings")
	r.expect(t, 0, `"proctor.timings/v1"`, `"TestA"`)
	timings := filepath.Join(filepath.Dir(w.dir), "timings.json")
	testfiles.Write(t, timings, r.stdout)
	reports := w.sharded(2, "--timings", timings)
	w.clone("merging").proctor("merge", reports, "--expect", "2").expect(t, 0)
	// Another file is another plan.
	os.RemoveAll(reports)
	w.clone("a").shard(reports, "1/2", "--timings", timings).expect(t, 0)
	w.clone("b").shard(reports, "2/2").expect(t, 0)
	w.clone("c").proctor("merge", reports, "--expect", "2").expect(t, 6, "is of a different plan than", "the files of timings differ")
}

func TestAShardThatCannotBePlannedIsRefused(t *testing.T) {
	t.Parallel()
	w := newModule(t, files{})
	for args, text := range map[string]string{
		"--shard 0/2": "is not a shard", "--shard 3/2": "is not a shard", "--shard x": "is not a shard", "--shard 2/5000": "is not a shard",
		"--shard 1/2 --affected": "changes select the tests", "--timings x": "only apply to a shard", "--shard 1/2 --timings go.mod": "go.mod: it is not a file of timings",
		"--shard 1/2 --timings nowhere": "nowhere: no such file",
	} {
		r := w.proctor(append([]string{"run"}, strings.Fields(args)...)...)
		if r.code != 2 || !strings.Contains(r.stderr, text) {
			t.Errorf("%s: exit code %d, %s", args, r.code, r.stderr)
		}
	}
	none := filepath.Join(t.TempDir(), "none.json")
	w.proctor("run", "--shard", "0/2", "--report", "json="+none).expect(t, 2)
	w.proctor("merge", none).expect(t, 2)
	broken := newModule(t, files{"go.mod": "modul x\n"})
	reports := filepath.Join(filepath.Dir(broken.dir), "reports")
	broken.shard(reports, "1/2").expect(t, 3, "the run cannot be divided: not everything could be listed: go list failed")
	broken.write(files{"go.mod": "module example.com/m\n"})
	broken.proctor("merge", reports).expect(t, 6, "has no plan: shard 1/2 is tool error (the run cannot be divided", "shard 2/2 is missing")
	fake := newModule(t, files{})
	r := fake.proctor("--plugin", "fake="+fakeplugin.New(t, "fake", fakeplugin.Script{}), "run", "--lang", "fake", "--shard", "1/2")
	if r.code == 0 || !strings.Contains(r.stderr, "list") {
		t.Errorf("a language without a listing: exit code %d, %s", r.code, r.stderr)
	}
}
