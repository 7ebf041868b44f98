// Package sdk is what the author of a proctor plugin imports.
//
// A plugin teaches proctor one language's test runner. It is a program named
// proctor-plugin-NAME whose main function calls package server:
//
//	func main() {
//		server.Serve(server.Config{Description: description, Detector: detector{}})
//	}
//
// What the author writes is a [Detector], three methods: TestCmd composes the
// commands that run tests, ParseTestFailures reads what they print, RerunCmd
// composes the commands that run some tests again. proctor executes the
// commands; the plugin starts no process. The example of package
// server is a whole plugin.
//
// More is optional, and declared to the host by implementing it: a detector
// that is also a [ProjectDetector] recognises projects that file names do not
// tell, a [Lister] names the tests that exist, and a parser that is also a
// [ProgressParser] says what is running now.
//
// Three rules matter more than others. A parser reports every failure it sees,
// whatever surrounds it: unknown text is skipped and counted ([Sink.Unread]),
// never a reason to stop. A test has passed only when the runner said so. And
// chunks end anywhere, in the middle of a line or a character: [LineReader]
// puts lines together again. Package plugintest checks these rules and the
// others against a detector; start with it.
//
// What a runner printed may be anything. Texts are repaired and cut to the
// limits of this package on their way to the host, so a plugin need not.
//
// The package is not responsible for running commands, for verdicts, or for
// history: they are the host's. PROTOCOL.md describes the protocol itself, for
// authors in other languages.
package sdk
