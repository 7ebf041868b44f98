package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// TestAnAffectedRunLeavesOutNoRedTest draws modules and edits them. Whatever is red when
// `go test` runs everything is red in `run --affected` too, with an index and without.
func TestAnAffectedRunLeavesOutNoRedTest(t *testing.T) {
	t.Parallel()
	var edits, reds, chosen, tests atomic.Int64
	fuzzed(t, 1, func(t *testing.T) func(*rand.Rand) string {
		return func(random *rand.Rand) string {
			d := drawModule(random)
			w := newModule(t, d.files())
			defer os.RemoveAll(filepath.Dir(w.dir))
			defer os.RemoveAll(w.home)
			if !d.calibrate(w) {
				t.Fatalf("the module that was drawn is not green:\n%s", d.text())
			}
			w.git("init", "-q")
			w.git("add", "-A")
			w.git("commit", "-q", "-m", "drawn")
			w.indexed()
			kept := filepath.Join(w.home, "kept")
			renewTree(t, kept, filepath.Join(w.dir, ".proctor"))
			for range 4 {
				now := d.clone()
				what := now.edit(random)
				w.write(now.files())
				how := "an index"
				if random.IntN(4) == 0 {
					how = "no index"
					w.remove(".proctor")
				} else {
					renewTree(t, filepath.Join(w.dir, ".proctor"), kept)
				}
				red := w.redOf()
				run, r := w.object("run", "--affected")
				edits.Add(1)
				tests.Add(int64(now.tests()))
				if len(red) > 0 {
					reds.Add(1)
				}
				if run.Counts.Failed > 0 || run.Affected != nil {
					chosen.Add(int64(chosenOf(run, now)))
				}
				missed := slices.DeleteFunc(slices.Clone(red), func(test string) bool { return hasFailed(run, test) })
				if len(missed) > 0 {
					return fmt.Sprintf("edit %d (%s), with %s: %q red in a run of everything and not in that of what is affected, which says %s\n%s\nbefore:\n%s\nafter:\n%s",
						edits.Load(), strings.Join(what, "; "), how, missed, run.Verdict, r.stderr, d.text(), now.text())
				}
			}
			return ""
		}
	})
	t.Logf("%d edits, %d of which made something red; %d of %d tests were run", edits.Load(), reds.Load(), chosen.Load(), tests.Load())
}

// redOf are the tests that fail when go test runs everything, as "suite test".
func (w *module) redOf() []string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-vet=off", "./...")
	cmd.Dir, cmd.Env = w.dir, w.env
	out, _ := cmd.Output() // It fails where a test does.
	var red []string
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var event struct{ Action, Package, Test string }
		err := decoder.Decode(&event)
		if err == io.EOF {
			return red
		}
		if err != nil || event.Action == "build-fail" {
			w.t.Fatalf("what was drawn does not build: %v\n%s", err, out)
		}
		if event.Action == "fail" && event.Test != "" && !strings.Contains(event.Test, "/") {
			red = append(red, event.Package+" "+event.Test)
		}
	}
}

func hasFailed(run api.Run, test string) bool {
	return slices.ContainsFunc(run.Failures, func(f api.Failure) bool {
		root, _, _ := strings.Cut(f.Test, "/")
		return f.Suite+" "+root == test
	})
}

func chosenOf(run api.Run, d drawn) int {
	if run.Affected.Everything != "" {
		return d.tests()
	}
	n := 0
	for _, c := range run.Affected.Chosen {
		for _, test := range d.checks {
			if "example.com/m/"+test.pkg == c.Suite && (c.Test == "" || c.Test == test.name) {
				n++
			}
		}
	}
	return n
}

func renewTree(t *testing.T, to, from string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// drawn is a module: two packages, one in a module outside of the repository and one in
// a directory that git ignores. All numbers only grow, so that tests that pass together
// pass alone.
type drawn struct {
	functions []drawnFunction
	checks    []drawnTest
	uses      []stateUse
}

// drawnFunction adds a number to what it is given, and then does something.
type drawnFunction struct {
	pkg, name string
	number    int
	body      []string
	// state: it is of a package with variables.
	state bool
}

// drawnTest checks that functions return no more than they did.
type drawnTest struct {
	pkg, name string
	lines     []string
}

// limitOf stands in a test for the most that a function may return.
var limitOf = regexp.MustCompile(`limit\((\d+), -?\d+\)`)

func (d drawn) clone() drawn {
	c := drawn{slices.Clone(d.functions), slices.Clone(d.checks), d.uses}
	for i := range c.functions {
		c.functions[i].body = slices.Clone(c.functions[i].body)
	}
	for i := range c.checks {
		c.checks[i].lines = slices.Clone(c.checks[i].lines)
	}
	return c
}

func (d drawn) tests() int { return len(d.checks) }

// drawnState are the variables of a package, and what is done with them.
const drawnState = `
type Counter struct{ N int }

func (c *Counter) Add(n int) { c.N += n }
func (c *Counter) Get() int  { return c.N }
func (c Counter) Copy() int  { return c.N }

type adder interface{ Add(int) }

var (
	number  int
	Shown   int
	table   = map[string]int{}
	list    []int
	counter = &Counter{}
	other   = counter
	value   Counter
	once    sync.Once
	lazy    int
	hook    = func() int { return 0 }
	nested  = struct{ in map[string]*Counter }{map[string]*Counter{"a": {}}}
	queue   = make(chan int, 1000)
	atom    int64
	pool    = []*Counter{{}, {}}
	behind  adder = &value
	fixed   = map[string]int{"a": 1}
	ErrAny  = errors.New("any")
)

func put(m map[string]int, n int) { m["a"] += n }
func at(m map[string]int) int     { return m["a"] }
func place() *int                 { return &number }
func tabled() map[string]int      { return table }
func add(a adder, n int)          { a.Add(n) }
func each(do func(*Counter)) {
	for _, c := range pool {
		do(c)
	}
}
func environment() int { n, _ := strconv.Atoi(os.Getenv("DRAWN")); return n }

func UnderCoverage() bool { return testing.CoverMode() != "" }

func Watched() bool {
	for _, argument := range os.Args {
		if len(argument) > 9 && argument[6:9] == "cov" {
			return true
		}
	}
	return false
}
`

// stateUse is what functions do with one piece of state; %d is a number.
type stateUse struct{ writes, reads []string }

var stateUses = []stateUse{
	{[]string{"number += %d", "*place() += %d", "p := &number; *p += %d", "for range %d { number++ }", "func() { number += %d }()"}, []string{"n += number", "n += *place()"}},
	{[]string{"Shown += %d"}, []string{"n += Shown"}},
	{[]string{`table["a"] += %d`, "put(table, %d)", `tabled()["a"] += %d`}, []string{`n += table["a"]`, "n += at(table)"}},
	{[]string{"list = append(list, %d)"}, []string{"n += len(list)"}},
	{
		[]string{"counter.N += %d", "counter.Add(%d)", "other.Add(%d)", "add(counter, %d)", "c := other; c.N += %d", "defer counter.Add(%d)"},
		[]string{"n += counter.N", "n += counter.Get()", "n += other.Get()"},
	},
	{[]string{"value.Add(%d)", "add(behind, %d)"}, []string{"n += value.Copy()"}},
	{[]string{"once.Do(func() { lazy += %d })"}, []string{"n += lazy"}},
	{[]string{"hook = func() int { return %d }"}, []string{"n += hook()"}},
	{[]string{`nested.in["a"].N += %d`}, []string{`n += nested.in["a"].Get()`}},
	{[]string{"queue <- %d"}, []string{"n += len(queue)"}},
	{[]string{"atomic.AddInt64(&atom, %d)"}, []string{"n += int(atomic.LoadInt64(&atom))"}},
	{[]string{"each(func(c *Counter) { c.N += %d })"}, []string{"n += pool[0].N"}},
	{[]string{`os.Setenv("DRAWN", "%d")`}, []string{"n += environment()"}},
	{nil, []string{`n += fixed["a"]`, "if ErrAny == nil { n++ }"}},
}

// stateLine draws a line of a function that writes or reads state: mostly of the two
// pieces that the module is about, so that what one test writes another one reads.
func (d drawn) stateLine(random *rand.Rand, writes bool) string {
	use := d.uses[random.IntN(len(d.uses))]
	if random.IntN(4) == 0 {
		use = stateUses[random.IntN(len(stateUses))]
	}
	lines := use.reads
	if writes && use.writes != nil {
		lines = use.writes
	}
	line := lines[random.IntN(len(lines))]
	if strings.Contains(line, "%d") {
		line = fmt.Sprintf(line, 1+random.IntN(3))
	}
	return "{ " + line + " }"
}

func drawModule(random *rand.Rand) drawn {
	d := drawn{uses: []stateUse{stateUses[random.IntN(len(stateUses))], stateUses[random.IntN(len(stateUses))]}}
	for _, pkg := range []string{"a", "b", "x", "y"} {
		for i := range 4 + random.IntN(4) {
			if (pkg == "x" || pkg == "y") && i > 1 {
				break
			}
			d.functions = append(d.functions, drawnFunction{
				pkg: pkg, name: fmt.Sprintf("F%d", i), number: random.IntN(5), state: pkg == "a" || pkg == "b",
			})
		}
		// One function writes, and another one reads, what the module is about. A third one
		// is executed by a part that skips itself while it is measured.
		for _, name := range []string{"Write", "Read", "Part"} {
			if pkg == "a" || pkg == "b" {
				d.functions = append(d.functions, drawnFunction{pkg: pkg, name: name, body: []string{d.stateLine(random, name == "Write")}, state: name != "Part"})
			}
		}
	}
	for i := range d.functions {
		for range random.IntN(3) {
			d.functions[i].body = append(d.functions[i].body, d.line(random, i))
		}
	}
	for _, pkg := range []string{"a", "b"} {
		for i := range 6 + random.IntN(6) {
			d.checks = append(d.checks, drawnTest{pkg: pkg, name: fmt.Sprintf("Test%c", 'A'+i)})
			for range 1 + random.IntN(2) {
				d.checks[len(d.checks)-1].lines = append(d.checks[len(d.checks)-1].lines, d.checked(random, pkg))
			}
		}
		for _, name := range []string{"Write", "Read", "Part"} {
			line := fmt.Sprintf("check(t, %s(1), limit(%d, -1))", name, random.Uint32())
			if name == "Part" {
				line = watchedPart(line)
			}
			d.checks = append(d.checks, drawnTest{pkg, "Test" + name, []string{line}})
		}
	}
	return d
}

// line draws what a function does: it uses state of its package, or calls a later one.
func (d drawn) line(random *rand.Rand, at int) string {
	f := d.functions[at]
	if f.state && random.IntN(5) < 2 {
		return d.stateLine(random, random.IntN(2) == 0)
	}
	later := d.functions[at+1:]
	if len(later) == 0 {
		return "n++"
	}
	called := later[random.IntN(len(later))]
	call := fmt.Sprintf("%s(%d)", qualified(called, f.pkg), random.IntN(3))
	if random.IntN(2) == 0 {
		return fmt.Sprintf("if n > %d { n += %s }", random.IntN(12), call)
	}
	return "n += " + call
}

func qualified(f drawnFunction, from string) string {
	if f.pkg == from {
		return f.name
	}
	return f.pkg + "." + f.name
}

// checked draws a line of a test.
func (d drawn) checked(random *rand.Rand, pkg string) string {
	var own []drawnFunction
	for _, f := range d.functions {
		if f.pkg == pkg || f.pkg > pkg {
			own = append(own, f)
		}
	}
	f := own[random.IntN(len(own))]
	check := fmt.Sprintf("check(t, %s(%d), limit(%d, -1))", qualified(f, pkg), random.IntN(3), random.Uint32())
	switch random.IntN(24) {
	case 0:
		return `t.Run("part", func(t *testing.T) { if testing.CoverMode() != "" { t.Skip("measured") }; ` + check + " })"
	case 1:
		return `if testing.CoverMode() == "" { ` + check + " }"
	case 2:
		return `t.Run("part", func(t *testing.T) { if UnderCoverage() { t.Skip("measured") }; ` + check + " })"
	case 3:
		return `if flag.Lookup("test.coverprofile").Value.String() == "" { ` + check + " }"
	case 4:
		return fmt.Sprintf("seen += %s(1); check(t, seen, limit(%d, -1))", qualified(f, pkg), random.Uint32())
	case 5:
		return fmt.Sprintf("check(t, seen, limit(%d, -1))", random.Uint32())
	case 6:
		return `t.Run("part", func(t *testing.T) { ` + check + " })"
	case 7:
		return watchedPart(check)
	case 8:
		return "helped(t, func() { " + check + " })"
	}
	return check
}

// watchedPart checks in a part that skips itself while it is measured, and does not show
// that it asks.
func watchedPart(check string) string {
	return `t.Run("part", func(t *testing.T) { if Watched() { t.Skip("watched") }; ` + check + " })"
}

// edit changes one to three things, in one package as often as in any, and says which.
func (d *drawn) edit(random *rand.Rand) []string {
	var what []string
	if random.IntN(3) == 0 {
		pkg := []string{"a", "b"}[random.IntN(2)]
		name := []string{"Write", "Part"}[random.IntN(2)]
		f := &d.functions[slices.IndexFunc(d.functions, func(f drawnFunction) bool { return f.pkg == pkg && f.name == name })]
		if name == "Part" {
			f.number++
			return []string{"number of " + pkg + ".Part"}
		}
		f.body = append(f.body, d.stateLine(random, true))
		return []string{"a write more in " + pkg + ".Write"}
	}
	within := []string{"", "", "", "a", "b", "x", "y"}[random.IntN(7)]
	for range 1 + random.IntN(3) {
		at := random.IntN(len(d.functions))
		for within != "" && d.functions[at].pkg != within {
			at = random.IntN(len(d.functions))
		}
		f := &d.functions[at]
		name := f.pkg + "." + f.name
		switch kind := random.IntN(10); {
		case kind < 3:
			f.number += 1 + random.IntN(5)
			what = append(what, "number of "+name)
		case kind < 5 && f.state:
			f.body = append(f.body, d.stateLine(random, true))
			what = append(what, "a write more in "+name)
		case kind < 7:
			f.body = append(f.body, d.line(random, at))
			what = append(what, "a line more in "+name)
		case kind == 7 && len(f.body) > 0:
			f.body = slices.Delete(f.body, 0, 1)
			what = append(what, "a line less in "+name)
		case kind == 8 && len(d.checks) > 2:
			i := random.IntN(len(d.checks))
			what = append(what, "without "+d.checks[i].name+" of "+d.checks[i].pkg)
			d.checks = slices.Delete(d.checks, i, i+1)
		case kind == 9:
			test := &d.checks[random.IntN(len(d.checks))]
			calls := d.functions[random.IntN(len(d.functions))]
			if calls.pkg >= test.pkg {
				test.lines = slices.Insert(test.lines, 0, fmt.Sprintf("_ = %s(%d)", qualified(calls, test.pkg), 1+random.IntN(5)))
				what = append(what, test.name+" of "+test.pkg+" calls "+calls.pkg+"."+calls.name)
			}
		}
	}
	return what
}

// files are those of the module and of what is beside it.
func (d drawn) files() files {
	tree := files{
		"go.mod":      "module example.com/m\n\ngo 1.22\n\nrequire (\n\texample.com/x v0.0.0\n\texample.com/y v0.0.0\n)\n\nreplace (\n\texample.com/x => ../x\n\texample.com/y => ./y\n)\n",
		".gitignore":  "/y\n/b/more.go\n",
		"../x/go.mod": "module example.com/x\n\ngo 1.22\n", "y/go.mod": "module example.com/y\n\ngo 1.22\n",
		"../x/x.go": d.source("x", 0, 99), "y/y.go": d.source("y", 0, 99),
		"a/a.go": d.source("a", 0, 99), "b/b.go": d.source("b", 0, 2), "b/more.go": d.source("b", 2, 99),
	}
	for _, pkg := range []string{"a", "b"} {
		tree[pkg+"/state.go"] = "package " + pkg + "\n\nimport (\n\t\"errors\"\n\t\"os\"\n\t\"strconv\"\n\t\"sync\"\n\t\"testing\"\n)\n" + drawnState
		tree[pkg+"/"+pkg+"_test.go"] = d.testSource(pkg)
	}
	return tree
}

// imports are those of the packages that a text uses.
func imports(text string) string {
	var b strings.Builder
	for _, name := range []string{"flag", "os", "sync/atomic", "testing", "example.com/m/b", "example.com/x", "example.com/y"} {
		if regexp.MustCompile(`\b` + filepath.Base(name) + `\.`).MatchString(text) {
			fmt.Fprintf(&b, "import %q\n", name)
		}
	}
	return b.String()
}

// source is a file with the functions of a package from one to another.
func (d drawn) source(pkg string, from, to int) string {
	var b strings.Builder
	n := 0
	for _, f := range d.functions {
		if f.pkg != pkg {
			continue
		}
		if n++; n > from && n <= to {
			fmt.Fprintf(&b, "\nfunc %s(n int) int {\n\tn += %d\n\t%s\n\treturn n\n}\n", f.name, f.number, strings.Join(f.body, "\n\t"))
		}
	}
	return "package " + pkg + "\n\n" + imports(b.String()) + b.String()
}

func (d drawn) testSource(pkg string) string {
	b := &strings.Builder{}
	b.WriteString("\nvar seen int\n\nfunc limit(id, most int) [2]int { return [2]int{id, most} }\n\nfunc helped(t *testing.T, do func()) { t.Helper(); do() }\n\n")
	b.WriteString("func check(t *testing.T, got int, limit [2]int) {\n\tt.Helper()\n\tif got > limit[1] {\n\t\tt.Errorf(\"%d: got %d\", limit[0], got)\n\t}\n}\n")
	for _, test := range d.checks {
		if test.pkg == pkg {
			fmt.Fprintf(b, "\nfunc %s(t *testing.T) {\n\t%s\n}\n", test.name, strings.Join(test.lines, "\n\t"))
		}
	}
	return "package " + pkg + "\n\n" + imports(b.String()) + b.String()
}

// calibrate finds out what the checks see, and makes this the most that they allow.
func (d *drawn) calibrate(w *module) bool {
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "./...")
	cmd.Dir, cmd.Env = w.dir, w.env
	out, _ := cmd.CombinedOutput() // The checks fail.
	got := map[string]string{}
	for _, found := range regexp.MustCompile(`(\d+): got (\d+)\n`).FindAllStringSubmatch(string(out), -1) {
		got[found[1]] = found[2]
	}
	for i := range d.checks {
		for j, line := range d.checks[i].lines {
			d.checks[i].lines[j] = limitOf.ReplaceAllStringFunc(line, func(limit string) string {
				id := limitOf.FindStringSubmatch(limit)[1]
				if got[id] == "" {
					return limit
				}
				return "limit(" + id + ", " + got[id] + ")"
			})
		}
	}
	w.write(d.files())
	return len(w.redOf()) == 0
}

// text is all of a module.
func (d drawn) text() string {
	var b strings.Builder
	tree := d.files()
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if filepath.Ext(name) == ".go" && filepath.Base(name) != "state.go" {
			fmt.Fprintf(&b, "-- %s\n%s", name, tree[name])
		}
	}
	return b.String()
}
