package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/cli"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testbin"
)

// A release of the programs that the suite tests, which have no commit.
func TestInstalledFromItsArchiveProctorRunsTheDemo(t *testing.T) {
	needs.WholeSuite(t)
	if runtime.GOOS == "windows" {
		t.Skip("the demo is a shell script")
	}
	programs, err := readPrograms(testbin.Dir())
	if err != nil {
		t.Fatal(err)
	}
	source := &checkout{dir: "../.."}
	s := stamp{version: "v0.1.0", commit: "0123456789abcdef", time: released, goVersion: runtime.Version()}
	licenses, err := findLicenses(t.Context(), source, linkedModules(programs), s.goVersion)
	if err != nil {
		t.Fatal(err)
	}
	own, err := source.read(licenseFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &release{dir: dir, out: io.Discard, stamp: s, archives: map[platform]artifact{}}
	p := platform{runtime.GOOS, runtime.GOARCH}
	files, err := contents(programs, licenses, own, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.addArchive(p, files); err != nil {
		t.Fatal(err)
	}
	bill, err := bomOf(programs, licenses, s, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	sum := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", checksumFile)
	if runtime.GOOS == "darwin" {
		sum = exec.CommandContext(t.Context(), "shasum", "-a", "256", "--check", checksumFile)
	}
	sum.Dir = dir
	if out, err := sum.CombinedOutput(); err != nil || strings.Count(string(out), ": OK\n") != len(r.artifacts)-1 {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := output(t.Context(), dir, nil, "tar", "-xzf", r.archives[p].Name); err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(dir, strings.TrimSuffix(r.archives[p].Name, ".tar.gz"))
	env := append(testbin.GoEnv(), "GOFLAGS="+testbin.GoFlags())
	said, err := output(t.Context(), dir, env, "sh", absolute(t, "../../examples/demo.sh"), filepath.Join(installed, "proctor"), testbin.Place(t))
	if err != nil || !strings.HasSuffix(said, "[exit code 0]") || !strings.Contains(said, "PASSED  4 tests") {
		t.Errorf("%v: %s", err, said)
	}
	checkPages(t, filepath.Join(installed, "man", "man1"))
	checkBill(t, bill, programs)
	text, err := os.ReadFile(filepath.Join(installed, licensesFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range linkedModules(programs) {
		if !strings.Contains(string(text), "\n"+module.Path+" "+module.Version+" · ") {
			t.Errorf("%s has no license", module.Path)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// checkPages holds the man pages to the commands that there are.
func checkPages(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]bool{}
	for _, entry := range entries {
		pages[entry.Name()] = true
	}
	for _, call := range []string{"", "run", "rerun", "plugin install", "mcp config", "runs export"} {
		cmd, _, err := cli.Command().Find(strings.Fields(call))
		if err != nil || !pages[pageName(cmd)+".1"] {
			t.Errorf("%q has no page, %v", call, err)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "proctor-run.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		".TH PROCTOR-RUN 1 2026-01-02 \"proctor 0.1.0\" \"proctor\"\n", "\n.TP\n\\fB\\-\\-timeout\\fR \\fIDURATION\\fR\n", "\\fB\\-\\-affected\\fR[=\\fIREV\\fR]\n",
		"\n.TP\n\\fB\\-\\-list\\fR\n", ".SH EXAMPLES\n.nf\n  proctor run\n",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page of proctor run lacks %q", want)
		}
	}
}

// checkBill holds a bill of materials to what is linked into the programs.
func checkBill(t *testing.T, text []byte, programs []program) {
	t.Helper()
	var b bom
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		t.Fatal(err)
	}
	refs := []string{b.Metadata.Component.Ref}
	modules := 0
	for _, c := range b.Components {
		if slices.Contains(refs, c.Ref) {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs = append(refs, c.Ref)
		if len(c.Licenses) != 1 || c.Licenses[0].Expression == "" {
			t.Errorf("%s has no license", c.Name)
		}
		if c.Type == "library" {
			modules++
		}
	}
	if want := len(linkedModules(programs)) + 1; modules != want {
		t.Errorf("%d modules, and %d are linked", modules, want)
	}
	for _, d := range b.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !slices.Contains(refs, ref) {
				t.Errorf("%s depends on %s, which is not there", d.Ref, ref)
			}
		}
	}
}

func TestEscapedTextIsTheTextAgain(t *testing.T) {
	for text, want := range map[string]string{
		"a-b":               `a\-b`,
		".TH at the start":  `\&.TH at the start`,
		"one\n'two\n.three": "one\n" + `\(aqtwo` + "\n" + `\&.three`,
		`C:\new`:            `C:\enew`,
	} {
		if got := escapeRoff(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestAFormulaHasTheArchivesOfItsPlatforms(t *testing.T) {
	archives := map[platform]artifact{}
	for _, p := range supported() {
		archives[p] = artifact{Name: "proctor_" + p.os + "_" + p.arch + ".tar.gz", SHA256: "sum of " + p.String()}
	}
	text, err := formula(stamp{version: "v0.1.0"}, archives)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  version \"0.1.0\"\n",
		"  on_macos do\n    on_arm do\n      url \"https://github.com/proctorhq/proctor/releases/download/v0.1.0/proctor_darwin_arm64.tar.gz\"\n      sha256 \"sum of darwin/arm64\"\n",
		"    on_intel do\n      url \"https://github.com/proctorhq/proctor/releases/download/v0.1.0/proctor_linux_amd64.tar.gz\"\n      sha256 \"sum of linux/amd64\"\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

func TestOnlyAnOlderReleaseIsRemovedForARelease(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(checksumFile)
	mine := write("mine")
	if err := emptyFolder(dir); err == nil || !strings.Contains(err.Error(), "holds mine") {
		t.Error(err)
	}
	if err := os.Remove(mine); err != nil { // which is still there
		t.Fatal(err)
	}
	write("proctor_0.1.0_linux_amd64.tar.gz") // of a release that was interrupted
	if err := emptyFolder(dir); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%d are left, %v", len(entries), err)
	}
}

func TestAPlatformWithoutAReleaseIsAnErrorThatNamesThem(t *testing.T) {
	for _, list := range []string{"plan9/amd64", "linux", "", "linux/amd64,linux/amd64"} {
		if _, err := parsePlatforms(list); err == nil || !strings.Contains(err.Error(), "linux/arm64") {
			t.Errorf("%q: %v", list, err)
		}
	}
	if found, err := parsePlatforms("all"); err != nil || len(found) != 6 {
		t.Errorf("%v, %v", found, err)
	}
}
