package limits

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// How many bytes of each text an answer has. The full texts are on record.
const (
	messageBytes = 2 << 10
	diffBytes    = 2 << 10 // of each of its three parts
	detailBytes  = 512     // of each attribute and further message
	NameBytes    = 1 << 10
	listedBytes  = 256 // of each name in a list
	wordBytes    = 64  // of a kind, or the name of an attribute
	noteBytes    = 500
)

// How many entries of each list an answer has.
const (
	maxDetails = 8  // attributes and further messages
	MaxListed  = 20 // names
	maxNotes   = 20
	// maxTests is how many unfinished tests the answer to a run names: a panic leaves
	// hundreds of them, with one cause.
	maxTests = 5
	// maxChosen is how many changed files and suites the answer to a run has.
	maxChosen = 10
	// maxRanges is how many ranges of lines an answer about a file has, maxTestRanges
	// how many it has for each test and for each of several files.
	maxRanges, maxTestRanges = 20, 5
	// maxCovered is how many changed files an answer has.
	maxCovered = 40
	// maxSpots is how many files that give trouble a workspace's description has.
	maxSpots = 5
)

// rule says how much of a field an answer has.
type rule struct {
	// out says why the field is left out.
	out string
	// whole means that nothing of it may be left off.
	whole bool
	// bytes and lines bound each text in it, which plain makes harmless. The default
	// is listedBytes of a line.
	bytes, lines int
	plain        func(string) string
	// seconds rounds a number.
	seconds bool
	// entries bounds a list. fills means that it is one of those that are shortened
	// further until the answer fits.
	entries int
	fills   bool
	// total is the field that counts all entries, of the same struct or of one around
	// it. Without a total, a last entry says how many are left off: the one that
	// ending makes, or a text.
	total  string
	ending func(left int) any
	// shape changes the value first.
	shape func(reflect.Value)
}

func (r rule) mostEntries(room int) int {
	most := math.MaxInt
	if r.entries > 0 {
		most = r.entries
	}
	if r.fills {
		most = min(most, room)
	}
	return most
}

func line(bytes int) rule  { return rule{bytes: bytes, plain: prose.Line} }
func block(bytes int) rule { return rule{bytes: bytes, plain: prose.Plain} }

func leftOut(reason string) rule { return rule{out: reason} }

// first keeps this many entries.
func first(entries int) rule { return rule{}.first(entries) }

func (r rule) first(entries int) rule {
	r.entries = entries
	return r
}

// fill keeps as many entries as the answer has room for, up to this many.
func fill(entries int) rule { return rule{}.fill(entries) }

func (r rule) fill(entries int) rule {
	r.entries, r.fills = entries, true
	return r
}

func (r rule) countedBy(total string) rule {
	r.total = total
	return r
}

func (r rule) endingWith(entry func(left int) any) rule {
	r.ending = entry
	return r
}

// shaped changes values of one type.
func shaped[T any](change func(*T)) rule {
	return rule{shape: func(v reflect.Value) {
		if of, ok := v.Addr().Interface().(*T); ok {
			change(of)
		}
	}}
}

// The id of a source state is cut to what shows whether two are the same: no tool takes
// one.
var state = rule{bytes: 12, plain: func(name string) string { return prose.Head(prose.Line(name), 12) }}

var (
	seconds = rule{seconds: true}
	whole   = rule{whole: true}
	notes   = first(maxNotes).endingWith(func(left int) any {
		return api.Note{Code: api.NotePartly, Text: fmt.Sprintf("%d more", left)}
	})
	untold = first(MaxListed).endingWith(func(left int) any { return api.Untold{What: moreOf(left)} })
)

// Reasons to leave a field out.
const (
	inTestOutput   = "get_test_output has it"
	onlyComparable = "only proctor can compare them"
	inWhole        = "the answer about all files has it"
	inProblems     = "the problems have it"
	inHistory      = "test_history and why_failing have it"
)

// limits has the rules of fields, and of types. A key may begin with fields that the field
// is within, not necessarily directly: the longest key that fits counts.
var limits = sync.OnceValue(func() map[string]rule {
	return map[string]rule{
		"Note":      shaped(phraseNote(noteBytes)),
		"Note.Text": whole, // phrased already

		"Failure":                           shaped(foldFailure),
		"Failure.ID":                        line(NameBytes),
		"Failure.TestID > TestID.Suite":     line(NameBytes),
		"Failure.TestID > TestID.Test":      line(NameBytes),
		"Failure.Kind":                      line(wordBytes),
		"Failure.Location > Location.File":  line(NameBytes),
		"Failure.TestFrame > Location.File": line(NameBytes),
		"Failure.Message":                   block(messageBytes),
		"Diff.Got":                          block(diffBytes),
		"Diff.Want":                         block(diffBytes),
		"Diff.Text":                         block(diffBytes),
		"Failure.Also":                      also(maxDetails),
		"Also.Message":                      block(detailBytes),
		"Failure.Blocks":                    first(maxTests),
		"Failure.Attributes":                block(detailBytes).first(maxDetails),
		"Failure.Standing":                  shaped(dropPlainStanding),
		"Excerpt":                           shaped(func(x *api.Excerpt) { x.Lines = render.TrimSource(x.Lines) }),
		"Excerpt.File":                      line(NameBytes),
		"Excerpt.Lines":                     block(listedBytes),
		"Hunk.File":                         line(NameBytes),
		"Hunk.Lines":                        block(listedBytes),
		"Code.File":                         line(NameBytes),
		"Code.Lines":                        block(listedBytes),
		"ChangedLines.Files":                line(NameBytes),
		"Failure.Output":                    leftOut(inTestOutput),
		"Failure.OutputTruncated":           leftOut(inTestOutput),
		"Failure.DerivedFrom":               leftOut(inTestOutput),
		"Failure.Repro":                     leftOut(inTestOutput),
		"Failure.Signature":                 leftOut(onlyComparable),
		"Failure.AlsoSignature":             leftOut(onlyComparable),
		Repeated + " > Failure":             shaped(tellFailure),
		Repeated + " > Failure.Message":     repeatedText,
		Repeated + " > Diff.Got":            repeatedText,
		Repeated + " > Diff.Want":           repeatedText,
		Repeated + " > Diff.Text":           repeatedText,
		Repeated + " > Failure.Stack":       leftOut(inTestOutput),
		Repeated + " > Failure.Attributes":  repeatedText.first(maxDetails),
		Repeated + " > Failure.Also":        also(1),
		Repeated + " > Also.Message":        repeatedText,

		"Standing.Changed":                         line(listedBytes).first(MaxListed).countedBy("ChangedTotal"),
		"LastPassed.Fingerprint":                   leftOut(onlyComparable),
		"LastPassed.AgeS":                          seconds,
		"Otherwise.RunnerArgs":                     block(noteBytes).first(MaxListed),
		"SameFailure.Signature":                    leftOut(onlyComparable),
		"Flaky.Fingerprint":                        leftOut(onlyComparable),
		"Why.Standing > Flaky.Fingerprint":         state, // the text names it
		"TestHistory.Standing > Flaky.Fingerprint": state,

		"Run.Reason":       block(messageBytes),
		"Run.Message":      block(messageBytes),
		"Run.RunError":     block(messageBytes),
		"Run.Workspace":    whole,
		"Run.Unfinished":   first(maxTests).countedBy("Counts.Unfinished"),
		"Run.NeverStarted": first(maxTests).countedBy("Counts.NeverStarted"),
		"Run.Requested": first(maxTests).endingWith(func(left int) any {
			return api.Requested{TestID: sdk.TestID{Suite: fmt.Sprintf("%d more", left)}, Outcome: api.OutcomeDidNotRun, Why: "not listed here"}
		}),
		"Run.Results":                            leftOut("output results has them"),
		"TestResult.TestID > TestID.Suite":       line(NameBytes),
		"TestResult.TestID > TestID.Test":        line(NameBytes),
		"TestResult.Location > Location.File":    line(NameBytes),
		"TestResult.Attributes":                  block(detailBytes).first(maxDetails),
		"TestResult.Body":                        leftOut(onlyComparable),
		"Measure.Name":                           line(wordBytes),
		"Measure.Kind":                           line(wordBytes),
		"Measure.Value":                          whole, // a number
		"ForgeSuite.File":                        line(NameBytes),
		"ForgeCase.Name":                         line(NameBytes),
		"ForgeCase.Reason":                       block(messageBytes),
		"ForgeError.Message":                     block(messageBytes),
		"Run.Warnings":                           notes,
		"Requested.TestID > TestID.Suite":        line(NameBytes),
		"Requested.TestID > TestID.Test":         line(NameBytes),
		"Requested.Why":                          line(NameBytes),
		"Integrity.Vanished":                     first(maxTests).countedBy("VanishedTotal"),
		"Integrity.NewlySkipped":                 first(maxTests).countedBy("NewlySkippedTotal"),
		"Integrity.Renamed":                      first(MaxListed).countedBy("RenamedTotal"),
		"Integrity.Gone":                         first(MaxListed).countedBy("GoneTotal"),
		"Stale.Files":                            first(MaxListed).countedBy("Changed"),
		"Stale.Suites":                           first(MaxListed).countedBy("SuitesTotal"),
		"Affected.Changed":                       first(maxChosen).countedBy("ChangedTotal"),
		"Affected.Chosen":                        first(MaxListed).countedBy("ChosenTests"),
		"Affected.BuildOnly":                     first(maxChosen),
		"Affected.Everything":                    line(detailBytes),
		"Affected.Untold":                        first(MaxListed).countedBy("UntoldTotal"),
		"Coverage.NotIndexed":                    line(detailBytes),
		"runCoverage.Coverage > Coverage.Suites": first(maxChosen).countedBy("SuitesTotal"),
		"Place.Suite":                            line(NameBytes),
		"Place.File":                             line(NameBytes),
		"FailuresPage.Notes":                     notes.first(maxDetails),
		"FailuresPage.Notes > Note.Test":         leftOut("its text names it"),
		"StreamPage.Text":                        whole,
		"TestOutput.Text":                        whole,
		"TestOutput.Test > TestID.Suite":         line(NameBytes),
		"TestOutput.Test > TestID.Test":          line(NameBytes),

		"Why.Suite":            line(NameBytes),
		"Why.Test":             line(NameBytes),
		"Why.File":             line(NameBytes),
		"Why.FailedStates":     stateList,
		"Why.Parts":            fill(MaxListed).countedBy("PartsTotal"),
		"Why.Suspects":         fill(MaxListed).countedBy("SuspectsTotal"),
		"Why.Warnings":         notes,
		"FileChanges.Files":    fill(MaxListed).countedBy("Total"),
		"FileChanges.Why":      line(detailBytes),
		"Sighting.AgeS":        seconds,
		"Sighting.Commit":      state,
		"Sighting.Fingerprint": state,
		"Sighting.Kind":        line(wordBytes),
		"Sighting.Message":     block(detailBytes),
		"Absence.AgeS":         seconds,
		"Absence.Message":      block(detailBytes),
		"Source.Commit":        state,
		"Source.Fingerprint":   state,
		"Source.Worktree":      leftOut(onlyComparable),

		"RunDiff.Message":         block(messageBytes),
		"RunDiff.Notes":           notes,
		"RunDiff.Warnings":        notes,
		"RunDiff.NewFailures":     fill(MaxListed).countedBy("Counts.NewFailures"),
		"RunDiff.FailingNotRun":   fill(MaxListed).countedBy("Counts.FailingNotRun"),
		"RunDiff.Fixed":           fill(MaxListed).countedBy("Counts.Fixed"),
		"RunDiff.PassedFlaky":     fill(MaxListed).countedBy("Counts.PassedFlaky"),
		"RunDiff.PassedOtherwise": fill(MaxListed).countedBy("Counts.PassedOtherwise"),
		"RunDiff.StillFailing":    fill(MaxListed).countedBy("Counts.StillFailing"),
		"RunDiff.Vanished":        fill(MaxListed).countedBy("Counts.Vanished"),
		"RunDiff.NewlySkipped":    fill(MaxListed).countedBy("Counts.NewlySkipped"),
		"RunDiff.New":             fill(MaxListed).countedBy("Counts.New"),
		"RunDiff.Renamed":         fill(MaxListed).countedBy("Counts.Renamed"),
		"RunDiff.Slower":          fill(MaxListed).countedBy("Counts.Slower"),
		"RunDiff.More":            fill(MaxListed).countedBy("Counts.More"),
		"DiffedRun.AgeS":          seconds,
		"DiffedTest.Kind":         line(wordBytes),
		"DiffedTest.Message":      block(listedBytes),
		"DiffedTest.Standing":     leftOut(inHistory),
		"GrownMeasure.Kind":       line(wordBytes),
		"GrownMeasure.Name":       line(wordBytes),

		"History.File":              line(NameBytes),
		"History.Message":           line(detailBytes),
		"History.Warnings":          notes,
		"HistorySpan.AgeS":          seconds,
		"Entry.File":                line(NameBytes),
		"TimelinePoint.AgeS":        seconds,
		"TimelinePoint.DurationS":   seconds,
		"TimelinePoint.Commit":      state,
		"TimelinePoint.Fingerprint": state,
		"TimelinePoint.Signature":   state,
		"TimelinePoint.Environment": leftOut(onlyComparable),
		"TimelinePoint.FailureKind": line(wordBytes),
		"TimelinePoint.Excerpt":     block(listedBytes),

		"Covering.File":                           line(NameBytes),
		"Covering.Message":                        line(detailBytes),
		"Covering.AgeS":                           seconds,
		"Covering.Tests":                          fill(math.MaxInt).countedBy("Total"),
		"Covering.Uncovered":                      line(wordBytes).first(maxRanges),
		"Covering.NoCode":                         line(wordBytes).first(maxRanges),
		"Covering.Unmapped":                       line(wordBytes).first(maxRanges),
		"Covering.State":                          first(MaxListed).endingWith(func(left int) any { return api.StateUse{State: moreOf(left), Tests: []string{}} }),
		"Covering.Untold":                         untold,
		"Covering.Warnings":                       notes,
		"StateUse.Tests":                          first(maxChosen).countedBy("Total"),
		"CoveringTest.Language":                   leftOut("the file says it"),
		"CoveringTest.MeasuredAt":                 leftOut("age_s says it"),
		"CoveringTest.Lines":                      line(wordBytes).first(maxTestRanges),
		"CoveringDiff.Files":                      fill(maxCovered).countedBy("FilesTotal"),
		"CoveringDiff.Tests":                      fill(math.MaxInt).countedBy("Total"),
		"CoveringDiff.Message":                    line(detailBytes),
		"CoveringDiff.Warnings":                   notes,
		"CoveringDiff.Files > Covering.File":      line(listedBytes),
		"CoveringDiff.Files > Covering.Message":   line(listedBytes),
		"CoveringDiff.Files > Covering.Uncovered": line(wordBytes).first(maxTestRanges),
		"CoveringDiff.Files > Covering.NoCode":    line(wordBytes).first(maxTestRanges),
		"CoveringDiff.Files > Covering.Unmapped":  line(wordBytes).first(maxTestRanges),
		"CoveringDiff.Files > Covering.Tests":     leftOut(inWhole),
		"CoveringDiff.Files > Covering.Advice":    leftOut(inWhole),
		"CoveringDiff.Files > Covering.State":     leftOut(inWhole),
		"CoveringDiff.Files > Covering.Untold":    leftOut(inWhole),
		"CoveringDiff.Files > Covering.Warnings":  leftOut(inWhole),

		"Triage.Tests":           fill(math.MaxInt).countedBy("Introduced"), // and by the counts beside it
		"Triage.Message":         block(messageBytes),
		"Triage.RunError":        block(messageBytes),
		"Triage.Warnings":        notes,
		"TriageBase.Revision":    line(NameBytes),
		"TriageBase.Fingerprint": leftOut(onlyComparable),
		"Triaged.Suite":          line(NameBytes),
		"Triaged.Test":           line(NameBytes),
		"Triaged.Kind":           line(wordBytes),
		"Triaged.Why":            line(detailBytes),
		"Triaged.Excerpt":        block(detailBytes),
		"Triaged.AgeS":           seconds,
		"Triaged.Standing":       shaped(dropPlainStanding),

		"TestList.Selection > Selection.Configured": first(MaxListed),
		"TestList.Errors":     block(4 << 10),
		"TestList.NextCursor": whole,
		"TestList.Warnings":   notes,
		"ListedSuite.Suite":   line(NameBytes),
		"ListedTest.Test":     line(NameBytes),
		"ListedTest.File":     line(NameBytes),

		"Diagnosis.SessionID":       line(NameBytes),
		"Diagnosis.Workspace":       line(NameBytes),
		"Diagnosis.Records":         line(NameBytes),
		"Diagnosis.Projects":        fill(MaxListed),
		"Diagnosis.Plugins":         fill(MaxListed),
		"Diagnosis.Refused":         fill(MaxListed),
		"Diagnosis.Searched":        line(NameBytes).fill(MaxListed),
		"Diagnosis.Problems":        fill(MaxListed),
		"Diagnosis.Problems > Note": shaped(phraseNote(4 << 10)),
		"ProjectReport.Tools":       line(NameBytes).fill(MaxListed),
		"ProjectReport.Commands":    fill(MaxListed),
		"ProjectReport.Untested":    line(NameBytes).fill(MaxListed),
		"ProjectReport.Missing":     leftOut(inProblems),
		"ProjectReport.Notes":       leftOut("a run warns of it"),
		"ProjectReport.Tests":       leftOut("list_tests counts them"),
		"Command.Argv":              line(listedBytes).first(MaxListed),
		"Command.Dir":               line(NameBytes),
		"PluginReport.Name":         line(NameBytes),
		"PluginReport.Path":         line(NameBytes),
		"PluginReport.Version":      line(NameBytes),
		"PluginReport.Language":     line(NameBytes),
		"PluginReport.Error":        line(NameBytes),
		"PluginReport.Lock":         leftOut("proctor doctor has it"),
		"RefusedReport.Name":        line(NameBytes),
		"RefusedReport.Path":        line(NameBytes),
		"RefusedReport.Reason":      line(NameBytes),
		"infoRun.AgeS":              seconds,
		"Context.Text":              line(4 << 10),
		"Context.Recurring":         first(maxSpots).countedBy("RecurringTotal"),
		"Context.Regressions":       first(maxSpots).countedBy("RegressionsTotal"),
		"Spot.File":                 line(NameBytes),
		"Spot.Regressed":            leftOut(inHistory),
		"Spot.Tests":                leftOut(inHistory),
		"Spot.Failing":              leftOut(inHistory),
		"Spot.Flaky":                leftOut(inHistory),
	}
})

// Further failures at one place mostly say the same of another case: their texts have
// this many lines and bytes.
const (
	Repeated      = "repeated"
	repeatedLines = 8
	RepeatedBytes = 300
)

var repeatedText = rule{bytes: RepeatedBytes, lines: repeatedLines, plain: prose.Plain}

// stateList is a list of states.
var stateList = state.first(MaxListed)

func also(entries int) rule {
	return first(entries).endingWith(func(left int) any { return sdk.Also{Message: moreOf(left)} })
}

// keyed is a rule with the fields that its key begins with.
type keyed struct {
	within []Field
	rule   rule
}

// rules are limits by the field that they are about, longest key first.
var rules = sync.OnceValue(func() map[Field][]keyed {
	all := map[Field][]keyed{}
	for key, r := range limits() {
		way := ParseKey(key)
		last := way[len(way)-1]
		all[last] = append(all[last], keyed{way[:len(way)-1], r})
	}
	for _, of := range all {
		slices.SortFunc(of, func(a, b keyed) int { return len(b.within) - len(a.within) })
	}
	return all
})

// between stands between the fields of a key.
const between = " > "

// Keys returns the keys of all rules.
func Keys() []string { return slices.Collect(maps.Keys(limits())) }

// ParseKey returns the fields of a key.
func ParseKey(key string) []Field {
	var way []Field
	for part := range strings.SplitSeq(key, between) {
		of, name, _ := strings.Cut(part, ".")
		way = append(way, Field{of, name})
	}
	return way
}

// ruleOf returns the rule of the field that a way leads to.
func ruleOf(way []Field) (rule, bool) {
	last := len(way) - 1
	for _, k := range rules()[way[last]] {
		if PassesInOrder(way[:last], k.within) {
			return k.rule, true
		}
	}
	return rule{}, false
}

// LeftOut returns why answers leave out the field that a way leads to; empty if they do not.
func LeftOut(way []Field) (reason string) {
	r, _ := ruleOf(way)
	return r.out
}

// Loses reports whether a list may lose entries without an entry of its own that says how
// many, and which field has their total, if any.
func Loses(way []Field) (loses bool, total string) {
	r, _ := ruleOf(way)
	return r.out == "" && r.mostEntries(0) < math.MaxInt && r.ending == nil, r.total
}

// PassesInOrder reports whether a way passes some fields in their order.
func PassesInOrder(way, fields []Field) bool {
	for _, f := range way {
		if len(fields) > 0 && f == fields[0] {
			fields = fields[1:]
		}
	}
	return len(fields) == 0
}
