package forge

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// reportRepetition reports several documents of results. If forge prints only one,
// something else wrote the others, such as a test that may write to any file.
func (p *parser) reportRepetition() {
	if p.accepted < 2 {
		return
	}
	text := fmt.Sprintf("the output has %d documents of results", p.accepted)
	if p.once {
		text += ", and this version of forge prints one: something else may have written results"
		p.sink.Unread(sdk.Unread{Bytes: p.before, Damaged: true, Sample: makeVisible(p.first)})
	}
	p.sink.Note(text)
}

// reportStrangers notes results of tests that no compiled contract has, if all
// contracts are known.
func (p *parser) reportStrangers(notes *noter) {
	if !p.places.complete {
		return
	}
	var strangers []string
	for _, s := range p.results.suites {
		for i := range s.tests {
			id := sdk.TestID{Suite: s.key, Test: s.tests[i].Name}
			if _, known := p.places.known[id]; !known && !isFixture(id.Test) {
				strangers = append(strangers, s.key+" "+makeVisible(id.Test))
			}
		}
	}
	if len(strangers) > 0 {
		notes.add(fmt.Sprintf("no compiled contract has %s of these results, such as %s: something else may have written them",
			countNoun(len(strangers), "test", "tests"), clip(strangers[0], maxSkipReason)))
	}
}

// reportPermissions notes sources whose comments let tests write to files: forge's
// configuration, which a plan checks for warnings, does not show these.
func (p *parser) reportPermissions(notes *noter) {
	if p.places.finder == nil {
		return
	}
	inline := p.places.finder.Inline(p.ctx)
	for _, path := range slices.Sorted(maps.Keys(inline)) {
		for _, setting := range inline[path] {
			if strings.Contains(setting, "fs_permissions") && strings.Contains(setting, "write") {
				notes.add(fmt.Sprintf("a comment in %s lets tests write to files: %s", makeVisible(path), shorten(makeVisible(inlinePrefix+setting))))
			}
		}
	}
}

// explainUntried reports whether forge passed a test without running any of it, as with
// fuzz.runs = 0, and why.
func explainUntried(t *testjson.Test) (why string, ok bool) {
	if t.Status != testjson.Success || t.Kind.Runs > 0 {
		return "", false
	}
	switch t.Kind.Name {
	case "Fuzz":
		// Documents of old versions lack the number of cases.
		return "no case was run: fuzz.runs is 0", t.Kind.Mean == "0"
	case "Invariant":
		return "no run was made: invariant.runs is 0", t.Kind.Calls == 0
	case "Table":
		return "no row was run", t.Kind.Mean == "0"
	}
	return "", false
}

// remarkOnCampaign returns what a reader should know about a campaign that passed.
func remarkOnCampaign(suite string, t *testjson.Test) string {
	k := t.Kind
	if t.Status != testjson.Success || k.Name != "Invariant" || k.Runs == 0 {
		return ""
	}
	switch {
	case k.Calls == 0:
		return fmt.Sprintf("%s %s was only checked in the state after setUp(): no call was made", suite, makeVisible(t.Name))
	case k.Reverts >= k.Calls:
		return fmt.Sprintf("%s %s was only checked in the state after setUp(): each of %d calls reverted", suite, makeVisible(t.Name), k.Calls)
	}
	return ""
}

// drawContext is what the inputs of fuzz tests depend on besides the tests: from one
// seed, forge 1.7.1 draws different inputs with another number of threads, if it runs
// other tests, or if it first compiles some of the sources, which [buildCommand] avoids.
// Measures of fuzz tests are only compared if all of that is equal.
type drawContext struct {
	seed    string
	threads int
	// filters are the options that select tests, as given.
	filters string
	// index is the compiler's index file, and before its checksum before the run; 0
	// means that there was none.
	index  string
	before uint32
}

// newDrawContext must be called before forge has had time to compile.
func newDrawContext(run sdk.RunInfo, options arguments.List, s settings.Settings, threads int) drawContext {
	d := drawContext{seed: s.FuzzSeed, threads: cmp.Or(s.Threads, threads), filters: strings.Join(options.Words(narrowsRun), "\x00")}
	d.index = indexFile(run.Workspace.Root, s)
	d.before = checksumFile(d.index)
	return d
}

// String describes the circumstances, after the run. It is empty for recorded output, of
// which only the seed is known.
func (d drawContext) String() string {
	if d.seed == "" || d.index == "" {
		return ""
	}
	text := fmt.Sprintf("%s, threads %d", d.seed, d.threads)
	if d.filters != "" {
		text += fmt.Sprintf(", selection %08x", crc32.ChecksumIEEE([]byte(d.filters)))
	}
	// A run that compiles everything draws like one that compiles nothing.
	if after := checksumFile(d.index); d.before != 0 && after != d.before {
		text += fmt.Sprintf(", changes %08x", crc32.ChecksumIEEE(fmt.Append(nil, d.before, after)))
	}
	return text
}

// maxSummed bounds how much of an index is read; the largest have some 10 MB.
const maxSummed = 64 << 20

// checksumFile returns the checksum of a file; 0 if there is none.
func checksumFile(name string) uint32 {
	if !isFile(name) { // a pipe would block
		return 0
	}
	file, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, io.LimitReader(file, maxSummed)); err != nil {
		return 0
	}
	return h.Sum32()
}
