// Package sdk is what the author of a proctor plugin imports.
//
// A plugin teaches proctor one language's test runner. It is a program named
// proctor-plugin-NAME whose main function calls package server:
//
//	func main() {
//		server.Serve(server.Config{Description: description, Detector: detector{}})
//	}
//
// The author writes a [Detector], three methods: TestCmd composes the commands
// that run tests, ParseTestFailures reads their output, RerunCmd composes the
// commands that rerun some tests. proctor executes the commands; the plugin
// starts no process. The example of package server is a complete plugin.
//
// More is optional, and declared to the host by implementing it: a detector
// that is also a [ProjectDetector] recognizes projects that file names do not
// show, a [Lister] names the existing tests, and a parser that is also a
// [ProgressParser] says what is running now.
//
// Three rules matter most. A parser reports every failure it sees, whatever
// surrounds it: unknown text is skipped and counted ([Sink.Unread]), never a
// reason to stop. A test has passed only if the runner said so. And chunks end
// anywhere, even within a line or a character: [LineReader] reassembles lines.
// Package plugintest checks these and the other rules against a detector; start
// with it.
//
// Runners may print anything. Texts are repaired and cut to the limits of this
// package on their way to the host, so a plugin need not do that.
//
// Running commands, verdicts and history are up to the host. PROTOCOL.md describes
// the protocol itself, for authors in other languages.
package sdk
