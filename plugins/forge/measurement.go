package forge

import "github.com/proctorhq/proctor/sdk"

// measurement is a sink for what `forge coverage` prints: a document of results between
// lines of text and a table. Tests have no results there, since everything is compiled
// with other settings; it reports what could not be compiled or run, and which suites
// finished.
type measurement struct{ sdk.Sink }

// Test implements [sdk.Sink].
func (measurement) Test(sdk.TestResult) {}

// Failure implements [sdk.Sink].
func (m measurement) Failure(f sdk.Failure) {
	if f.Kind == sdk.KindBuild {
		m.Sink.Failure(f)
	}
}

// Unread implements [sdk.Sink].
func (measurement) Unread(sdk.Unread) {}

// Note implements [sdk.Sink].
func (measurement) Note(string) {}

// Condition implements [sdk.Sink].
func (measurement) Condition(_, _ string) {}
