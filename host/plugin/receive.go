package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// maxKind bounds the kind of a failure.
const maxKind = 64

// maxNumber bounds a number: 256 bits have 78 digits.
const maxNumber = 128

// gate is what every event of a stream passes.
type gate struct {
	watch  *watch
	budget *budget
}

// admit reports whether an event may be delivered. The caller tells the watch once it
// was handled.
func (g gate) admit() bool {
	g.watch.event()
	if g.budget.spend() {
		return true
	}
	g.watch.handled()
	return false
}

// eventGuard stands between a plugin and the host's sink. It bounds texts and reports
// activity to the watch. What SDK plugins send is within the bounds already.
type eventGuard struct {
	sink client.EventSink
	gate
	// prepares reports whether the command runs no test.
	prepares bool
	// violated is called for an invalid report and ends the stream.
	violated func(*violation)
}

var _ client.BatchSink = eventGuard{}

// BeginBatch and EndBatch stop the clock while the results of a message are handled: reading
// it after each costs more than the rest of the watch.
func (g eventGuard) BeginBatch() { g.watch.event() }

func (g eventGuard) EndBatch() { g.watch.handled() }

func (g eventGuard) Test(t sdk.TestResult) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	if v := g.checkTest(t); v != nil {
		g.violated(v)
		return
	}
	t.Elapsed = max(t.Elapsed, 0)
	t.TestID, t.Root, t.Location = boundID(t.TestID), boundName(t.Root), boundLocation(t.Location)
	t.Body = boundBody(t.Body)
	t.Measures, t.Attributes = boundMeasures(t.Measures), boundAttributes(t.Attributes)
	if g.budget.keep(textOf(t)) {
		g.sink.Test(t)
	}
}

func (g eventGuard) Failure(f sdk.Failure) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	f = boundFailure(f)
	if g.budget.keep(textOfFailure(f)) {
		g.sink.Failure(f)
	}
}

func (g eventGuard) Suite(s sdk.SuiteResult) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	s.Suite, s.Reason = boundName(s.Suite), boundText(s.Reason, sdk.MaxSample)
	if g.budget.keep(len(s.Suite) + len(s.Reason)) {
		g.sink.Suite(s)
	}
}

func (g eventGuard) Unread(u sdk.Unread) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	// No more can be unread than was sent, so the sum must not overflow.
	u.Bytes = min(max(u.Bytes, 0), g.budget.sent.Load())
	u.Sample = boundText(u.Sample, sdk.MaxSample)
	g.sink.Unread(u)
}

func (g eventGuard) Note(text string) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	g.sink.Note(boundText(text, sdk.MaxText))
}

func (g eventGuard) RunError(text string) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	// An error without a text is still an error.
	g.sink.RunError(cmp.Or(boundText(text, sdk.MaxText), "it does not say which"))
}

// Refused implements [sdk.RefusalSink].
func (g eventGuard) Refused(r sdk.Refusal) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	r.Words = boundText(r.Words, sdk.MaxText)
	size := len(r.Words)
	for i := range r.Suites {
		r.Suites[i] = boundName(r.Suites[i])
		size += len(r.Suites[i])
	}
	if g.budget.keep(size) {
		sdk.Refuse(g.sink, r)
	}
}

func (g eventGuard) Condition(name, value string) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	g.sink.Condition(boundName(name), boundName(value))
}

func (g eventGuard) Output(data []byte) {
	g.watch.event()
	defer g.watch.handled()
	if g.budget.keep(len(data)) { // an endless refusal must not pass for activity
		g.sink.Output(data)
	}
}

// checkTest validates a result. A pass must have been read from something, and a test
// needs a name.
func (g eventGuard) checkTest(t sdk.TestResult) *violation {
	switch {
	case t.Test == "" && !t.Fixture:
		return violates("test.id.name", "a test without a name: only a suite is named like that")
	case t.Status == sdk.Passed && g.prepares:
		return violates("test.status", "%s passed in a command that prepares, and so runs no test", cleanLine(t.Test, 64))
	case t.Status == sdk.Passed && g.budget.sent.Load() == 0:
		return violates("test.status", "%s passed in a command that printed nothing", cleanLine(t.Test, 64))
	}
	return nil
}

// Progress is not activity: it comes from a timer.
func (g eventGuard) Progress(p sdk.Progress) {
	if len(p.Running) > sdk.MaxRunning {
		p.Running = p.Running[:sdk.MaxRunning]
	}
	for i := range p.Running {
		p.Running[i].ID = boundID(p.Running[i].ID)
	}
	p.SuitesRunning = p.SuitesRunning[:min(len(p.SuitesRunning), sdk.MaxRunning)]
	for i, suite := range p.SuitesRunning {
		p.SuitesRunning[i] = boundName(suite)
	}
	g.sink.Progress(p)
}

// listGuard is the eventGuard of a listing.
type listGuard struct {
	sink sdk.ListSink
	gate
}

var _ sdk.ListSink = listGuard{}

func (g listGuard) Suite(s sdk.ListedSuite) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	s.Suite = boundName(s.Suite)
	for i := range s.Tests {
		s.Tests[i].Name = boundName(s.Tests[i].Name)
		s.Tests[i].Location = boundLocation(s.Tests[i].Location)
		s.Tests[i].Body = boundBody(s.Tests[i].Body)
	}
	s.Needs, s.Opaque, s.Incomplete = boundNames(s.Needs), boundText(s.Opaque, sdk.MaxText), boundText(s.Incomplete, sdk.MaxText)
	g.sink.Suite(s)
}

func (g listGuard) Part(p sdk.ListedPart) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	p.Name = boundName(p.Name)
	p.Files, p.Patterns, p.Needs = boundNames(p.Files), boundNames(p.Patterns), boundNames(p.Needs)
	g.sink.Part(p)
}

func (g listGuard) Error(text string) {
	if !g.admit() {
		return
	}
	defer g.watch.handled()
	g.sink.Error(boundText(text, sdk.MaxText))
}

func boundFailure(f sdk.Failure) sdk.Failure {
	f.TestID, f.Kind, f.BlockedOn = boundID(f.TestID), cleanLine(f.Kind, maxKind), boundName(f.BlockedOn)
	f.Location, f.TestFrame = boundLocation(f.Location), boundLocation(f.TestFrame)
	f.Message = boundText(f.Message, sdk.MaxText)
	f.Diff.Got, f.Diff.Want, f.Diff.Text = boundText(f.Diff.Got, sdk.MaxText), boundText(f.Diff.Want, sdk.MaxText), boundText(f.Diff.Text, sdk.MaxText)
	f.OutputTruncated = f.OutputTruncated || len(f.Output) > sdk.MaxOutput
	f.Output = boundText(f.Output, sdk.MaxOutput)
	for i := range f.Also {
		f.Also[i].Message = boundText(f.Also[i].Message, sdk.MaxText)
		f.Also[i].Location = boundLocation(f.Also[i].Location)
	}
	for i := range f.Stack {
		f.Stack[i].Function = boundName(f.Stack[i].Function)
		f.Stack[i].Location = boundLocation(f.Stack[i].Location)
	}
	for i := range f.DerivedFrom {
		f.DerivedFrom[i] = boundID(f.DerivedFrom[i])
	}
	f.Blocks = boundNames(f.Blocks)
	f.Attributes = boundAttributes(f.Attributes)
	// A command that must not be executed must not be offered to a person either.
	if checkCommand(f.Repro) != nil {
		f.Repro = sdk.Command{}
	}
	return f
}

func boundAttributes(attributes map[string]string) map[string]string {
	if attributes == nil {
		return nil
	}
	bounded := make(map[string]string, len(attributes))
	for key, value := range attributes {
		bounded[boundName(key)] = boundText(value, sdk.MaxText)
	}
	return bounded
}

func boundMeasures(measures []sdk.Measure) []sdk.Measure {
	measures = measures[:min(len(measures), sdk.MaxMeasures)]
	for i, m := range measures {
		measures[i] = sdk.Measure{
			Name: cleanLine(m.Name, maxKind), Value: json.Number(boundText(m.Value.String(), maxNumber)), Kind: cleanLine(m.Kind, maxKind),
			Section: boundName(m.Section), Runs: m.Runs, Seed: boundText(m.Seed, maxNumber),
		}
	}
	return measures
}

func boundScaffold(s sdk.Scaffold) sdk.Scaffold {
	for i := range s.Warnings {
		s.Warnings[i] = boundText(s.Warnings[i], sdk.MaxText)
	}
	return s
}

func boundDetection(d sdk.Detection) sdk.Detection {
	for i := range d.Untested {
		d.Untested[i].Path = boundName(d.Untested[i].Path)
		d.Untested[i].Reason = boundText(d.Untested[i].Reason, sdk.MaxText)
	}
	d.Settings = boundAttributes(d.Settings)
	d.SuitePrefixes = boundNames(d.SuitePrefixes)
	d.Outside = slices.DeleteFunc(boundNames(d.Outside), func(dir string) bool { return !filepath.IsAbs(dir) })
	d.Outside = d.Outside[:min(len(d.Outside), maxOutside)]
	return d
}

// maxOutside bounds the directories outside of the workspace whose state is determined with
// each run.
const maxOutside = 32

// maxOutputs bounds the paths that a plugin declares not to be sources.
const maxOutputs = 100

func boundPlan(p sdk.Plan) sdk.Plan {
	for i := range p.Warnings {
		p.Warnings[i] = boundText(p.Warnings[i], sdk.MaxText)
	}
	p.Seed = boundText(p.Seed, maxNumber)
	p.NarrowedBy = boundSettings(p.NarrowedBy)
	p.Outputs = p.Outputs[:min(len(p.Outputs), maxOutputs)]
	if p.Way != nil {
		p.Way = &sdk.Way{Decides: boundWords(p.Way.Decides), Narrows: boundWords(p.Way.Narrows)}
	}
	return p
}

// maxWords bounds the words of a way.
const maxWords = 256

// boundWords bounds words that are compared, so that different ones stay different.
func boundWords(words []string) []string {
	if len(words) > maxWords {
		sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
		return []string{"#" + hex.EncodeToString(sum[:])}
	}
	bounded := make([]string, 0, len(words))
	for _, w := range words {
		bounded = append(bounded, boundName(w))
	}
	return bounded
}

func boundID(id sdk.TestID) sdk.TestID {
	return sdk.TestID{Suite: boundName(id.Suite), Test: boundName(id.Test)}
}

func boundLocation(l sdk.Location) sdk.Location {
	l.File = boundName(l.File)
	return l
}

func boundNames(names []string) []string {
	for i := range names {
		names[i] = boundName(names[i])
	}
	return names
}

// boundBody drops a digest that is too long: truncation could make two equal.
func boundBody(digest string) string {
	if len(digest) > sdk.MaxBody {
		return ""
	}
	return digest
}

// boundName bounds a name so that different names stay different: a failure must not be
// filed under another test.
func boundName(name string) string { return boundTo(name, sdk.MaxName) }

// boundTo bounds a text so that different ones stay different.
func boundTo(text string, size int) string {
	if len(text) <= size {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	mark := "…" + sdk.TruncationMark + hex.EncodeToString(sum[:8])
	return boundText(text, size-len(mark)) + mark
}

// reception is one answer of many messages. Everything but the watch happens in the
// caller's goroutine.
type reception struct {
	instance *instance
	call     string
	watch    *watch
	// broken is how the plugin's report broke the protocol. It counts even if the
	// answer ended before the plugin did.
	broken error
}

// receive has a plugin answer with many messages. The client bounds what it reports;
// the watch bounds the time between two messages, and ReceiveTimeout the total.
func (p *Plugin) receive(ctx context.Context, call string, do func(context.Context, *client.Detector, *reception) error) error {
	i, err := p.running(ctx)
	if err != nil {
		return err
	}
	limit, idle := p.config.ReceiveTimeout, p.config.ParseIdleTimeout
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := &reception{instance: i, call: call}
	r.watch = newWatch(idle, func(waiting string) { _ = i.killHung(call, waiting, idle) })
	r.watch.expect("it did not continue its answer")
	err = do(limited, i.detector, r)
	r.watch.end()
	if r.broken != nil {
		return r.broken
	}
	if err == nil {
		return nil
	}
	settle(limited, err)
	if ctx.Err() == nil && limited.Err() != nil && !i.isClosed() {
		return i.killHung(call, "it still reported", limit)
	}
	return i.explain(ctx, call, err)
}

// Arrived counts a message as activity.
func (r *reception) Arrived() {
	r.watch.event()
	r.watch.handled()
}

// admit reports whether something may be delivered: nothing is after a violation. The
// caller tells the watch once it was handled.
func (r *reception) admit() bool {
	if r.broken != nil {
		return false
	}
	r.watch.event()
	return true
}

// violated ends the plugin because of what it reported.
func (r *reception) violated(v *violation) {
	r.broken = cmp.Or(r.broken, r.instance.condemn(r.instance.violated(r.call, v)))
}

// textOf returns roughly how many bytes of text a result puts on record.
func textOf(t sdk.TestResult) int {
	n := len(t.Suite) + len(t.Test) + len(t.Root) + len(t.Location.File) + textOfAttributes(t.Attributes)
	for _, m := range t.Measures {
		n += len(m.Name) + len(m.Value) + len(m.Section)
	}
	return n
}

// textOfFailure does the same for a failure.
func textOfFailure(f sdk.Failure) int {
	n := len(f.Suite) + len(f.Test) + len(f.Message) + len(f.Output) +
		len(f.Diff.Got) + len(f.Diff.Want) + len(f.Diff.Text) + textOfAttributes(f.Attributes)
	for _, a := range f.Also {
		n += len(a.Message) + len(a.Location.File)
	}
	for _, s := range f.Stack {
		n += len(s.Function) + len(s.Location.File)
	}
	for _, d := range f.DerivedFrom {
		n += len(d.Suite) + len(d.Test)
	}
	for _, b := range f.Blocks {
		n += len(b)
	}
	return n
}

func textOfAttributes(attributes map[string]string) int {
	n := 0
	for key, value := range attributes {
		n += len(key) + len(value)
	}
	return n
}
