package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// actionFile is what action.yml says.
type actionFile struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []workStep
	}
}

type workStep struct {
	Name, ID, If, Uses, Shell, Run string
	WorkingDirectory               string `yaml:"working-directory"`
	Env, With                      map[string]string
}

func readAction(t testing.TB) actionFile {
	t.Helper()
	raw, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a actionFile
	if err := yaml.Unmarshal(raw, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// actionJob plays the runner's part for one job: expressions, environment files and the
// artifacts of the service.
type actionJob struct {
	w         *module
	action    actionFile
	inputs    map[string]string
	attempt   int
	artifacts string

	outputs map[string]string
	path    []string
	log     strings.Builder
}

var expression = regexp.MustCompile(`\$\{\{\s*([a-z.-]+)\s*\}\}`)

// value evaluates a context such as inputs.shard.
func (j *actionJob) value(name string) string {
	if input, ok := strings.CutPrefix(name, "inputs."); ok {
		value, given := j.inputs[input]
		declared, known := j.action.Inputs[input]
		if !known {
			j.w.t.Fatalf("there is no input %s", input)
		}
		if !given {
			value = declared.Default
		}
		return value
	}
	value, ok := j.outputs[name]
	if !ok {
		j.w.t.Fatalf("nothing has set %s", name)
	}
	return value
}

func (j *actionJob) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string { return j.value(expression.FindStringSubmatch(e)[1]) })
}

var comparison = regexp.MustCompile(`^([a-z.-]+) (==|!=) '([^']*)'$`)

// holds evaluates a condition. Without always() it also needs that nothing has failed.
func (j *actionJob) holds(condition string, failed bool) bool {
	always := false
	for part := range strings.SplitSeq(condition, " && ") {
		if part = strings.TrimSpace(part); part == "always()" {
			always = true
			continue
		}
		c := comparison.FindStringSubmatch(part)
		if condition == "" {
			break
		}
		if c == nil {
			j.w.t.Fatalf("the condition %q is none that this runner knows", part)
		}
		if (j.value(c[1]) == c[3]) != (c[2] == "==") {
			return false
		}
	}
	return always || !failed
}

// run runs the steps, and returns the exit code of the first that failed.
func (j *actionJob) run() (code int) {
	j.w.t.Helper()
	j.outputs = map[string]string{}
	for _, step := range j.action.Runs.Steps {
		if !j.holds(step.If, code != 0) {
			continue
		}
		failed := 0
		switch {
		case strings.HasPrefix(step.Uses, "actions/upload-artifact@"):
			j.upload(step)
		case strings.HasPrefix(step.Uses, "actions/download-artifact@"):
			j.download(step)
		case step.Uses != "":
			j.w.t.Fatalf("this runner does not have %s", step.Uses)
		default:
			failed = j.script(step)
		}
		if code == 0 {
			code = failed
		}
	}
	return code
}

// script runs a script as the service documents it: bash --noprofile --norc -eo pipefail.
func (j *actionJob) script(step workStep) int {
	t := j.w.t
	if step.Shell != "bash" {
		t.Fatalf("%s: each step of a composite action names its shell, and this one has %q", step.Name, step.Shell)
	}
	if expression.MatchString(step.Run) {
		t.Errorf("%s: an expression in a script is code of whoever chose the input", step.Name)
	}
	dir := t.TempDir()
	script, output, path := filepath.Join(dir, "script.sh"), filepath.Join(dir, "output"), filepath.Join(dir, "path")
	for file, text := range map[string]string{script: step.Run, output: "", path: ""} {
		testfiles.Write(t, file, text)
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	cmd.Dir = filepath.Join(j.w.dir, j.expand(step.WorkingDirectory))
	cmd.Env = append(j.w.env[:len(j.w.env):len(j.w.env)], "GITHUB_ACTIONS=true", "CI=true", "GITHUB_RUN_ID=77", fmt.Sprintf("GITHUB_RUN_ATTEMPT=%d", j.attempt),
		"GITHUB_OUTPUT="+output, "GITHUB_PATH="+path, "PATH="+strings.Join(append(j.path, testbin.Dir(), os.Getenv("PATH")), string(filepath.ListSeparator)))
	for name, value := range step.Env {
		cmd.Env = append(cmd.Env, name+"="+j.expand(value))
	}
	out, err := cmd.CombinedOutput()
	fmt.Fprintf(&j.log, "## %s\n%s", step.Name, out)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	set, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(set)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			j.outputs["steps."+step.ID+".outputs."+name] = value
		}
	}
	added, _ := os.ReadFile(path)
	j.path = append(strings.Fields(string(added)), j.path...)
	return cmd.ProcessState.ExitCode()
}

// upload keeps files as an artifact. The service refuses a name twice.
func (j *actionJob) upload(step workStep) {
	t := j.w.t
	dir := filepath.Join(j.artifacts, j.expand(step.With["name"]))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatalf("an artifact of that name is there already: %v", err)
	}
	for path := range strings.FieldsSeq(j.expand(step.With["path"])) {
		raw, err := os.ReadFile(filepath.Join(j.w.dir, path))
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(path)), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// download lays each artifact of a pattern into a directory of its own.
func (j *actionJob) download(step workStep) {
	into := filepath.Join(j.w.dir, j.expand(step.With["path"]))
	found, err := filepath.Glob(filepath.Join(j.artifacts, j.expand(step.With["pattern"])))
	if err != nil {
		j.w.t.Fatal(err)
	}
	for _, dir := range found {
		if err := os.CopyFS(filepath.Join(into, filepath.Base(dir)), os.DirFS(dir)); err != nil {
			j.w.t.Fatal(err)
		}
	}
}

// goTree has two packages, one of which is red with BROKEN.
func goTree() files {
	return files{
		"go.mod":      "module example.com/m\n\ngo 1.24\n",
		"a/a_test.go": "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {\n\tif os.Getenv(\"BROKEN\") != \"\" {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n",
		".gitignore":  ".proctor\n",
	}
}

func TestTheActionRunsShardsAndMergesThem(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash here:", err)
	}
	w := newModule(t, goTree())
	w.write(files{".gitignore": ".proctor\nproctor-reports\nproctor-timings.json\n"})
	w.commit()
	artifacts := t.TempDir()
	start := func(name string, attempt int, inputs map[string]string, env ...string) (int, *actionJob) {
		inputs["version"] = "" // the one that is built here
		j := &actionJob{w: w.clone(name), action: readAction(t), inputs: inputs, attempt: attempt, artifacts: artifacts}
		j.w.setenv(env...)
		code := j.run()
		return code, j
	}
	if code, j := start("one", 1, map[string]string{"shard": "1/2"}, "BROKEN=1"); code != 1 {
		t.Fatalf("a red shard exits with %d:\n%s", code, j.log.String())
	}
	if code, j := start("two", 1, map[string]string{"shard": "2/2", "args": "-short"}); code != 0 {
		t.Fatalf("a green shard exits with %d:\n%s", code, j.log.String())
	}
	// Other arguments are another plan.
	merge := func() map[string]string {
		return map[string]string{"merge": "true", "expect": "2", "write-timings": "proctor-timings.json"}
	}
	code, j := start("m1", 1, merge())
	if code != 1 || !strings.Contains(j.log.String(), "the selections differ") {
		t.Errorf("exit code %d:\n%s", code, j.log.String())
	}
	os.RemoveAll(filepath.Join(artifacts, "proctor-shard-2-of-2-1"))
	if code, j := start("two-again", 1, map[string]string{"shard": "2/2", "args": "-v"}); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, j.log.String())
	}
	if code, j := start("m2", 2, merge()); code != 1 {
		t.Errorf("the merge of a red shard exits with %d:\n%s", code, j.log.String())
	}
	// "Re-run failed jobs".
	if code, j := start("one-again", 2, map[string]string{"shard": "1/2"}); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, j.log.String())
	}
	code, j = start("m3", 3, merge())
	if log := j.log.String(); code != 1 || !strings.Contains(log, "1 flaky: failed, then passed when retried") || !strings.Contains(log, "attempt 2 replaces attempt 1") {
		t.Errorf("exit code %d:\n%s", code, log)
	}
	raw, err := os.ReadFile(filepath.Join(j.w.dir, "proctor-timings.json"))
	if err != nil || !strings.Contains(string(raw), "TestB") {
		t.Errorf("timings: %s, %v", raw, err)
	}
	if _, err := os.Stat(filepath.Join(artifacts, "proctor-merged-3", "merged-3.xml")); err != nil {
		t.Error(err)
	}
	if code, j := start("all", 1, map[string]string{"args": "-run 'Test[A-Z]' -short", "artifact": ""}); code != 0 || !strings.Contains(j.log.String(), "PASSED  2 tests") {
		t.Errorf("exit code %d:\n%s", code, j.log.String())
	}
	if code, j := start("empty", 1, map[string]string{"args": "-short --post-run-command ''", "artifact": ""}); code != 0 {
		t.Errorf("exit code %d:\n%s", code, j.log.String())
	}
	if code, j := start("unclosed", 1, map[string]string{"args": "-short -run='TestA", "artifact": ""}); code == 0 || strings.Contains(j.log.String(), "PASSED") {
		t.Errorf("arguments that cannot be split: exit code %d:\n%s", code, j.log.String())
	}
}
