package forge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
