package conform

import "context"

// Point is one rule of the protocol and how it is checked.
type Point struct {
	// ID names the point in reports and commands.
	ID string
	// Title says what a plugin that follows the rule does.
	Title string
	// Rule is what sdk/PROTOCOL.md says.
	Rule string

	needs need
	check func(ctx context.Context, s *subject, p *probe)
}

// need is what checking a point requires.
type need int

const (
	// connected means a plugin that answers.
	connected need = iota
	// binary means a program to start.
	binary
	// answering means both.
	answering
)

// NeedsProcess reports whether the rule is about a process, so that a connection alone
// cannot show it.
func (p Point) NeedsProcess() bool { return p.needs != connected }

// Points returns all rules in the order in which they are checked. The last ones end
// processes, and check what was left behind.
func Points() []Point {
	return []Point{
		{"by-hand", "explains itself to a person who starts it",
			"Without PROCTOR_PLUGIN=proctor-detector: print to standard error what you are, print nothing to standard output, and exit with 1.", binary, checkByHand},
		{"handshake", "greets with a handshake line",
			"The first line on standard output is the handshake, 1|1|unix|/path/to/socket|grpc|, at once: a host waits 5 seconds for it, and 2 for Describe.", binary, checkHandshake},
		{"socket", "listens where the host says",
			"Create the socket in PLUGIN_UNIX_SOCKET_DIR. TCP is for Windows, on 127.0.0.1.", answering, checkSocket},
		{"health", "says that it is healthy",
			"grpc.health.v1.Health: service \"plugin\" is SERVING.", answering, checkHealth},
		{"describe", "describes itself",
			"Describe names the plugin, its version and its language, with plain names in every list, and answers the same each time.", connected, checkDescribe},
		{"manifest", "is what its manifest says",
			"Name, version, protocol and detection of the manifest are those of the program.", connected, checkManifest},
		{"detect", "recognizes a project",
			"Detect says yes for a project of the language and no for an empty directory.", connected, checkDetect},
		{"commands", "composes commands that need no shell",
			"Commands are executed without a shell. dir stays inside the workspace, inputs are plain file names, PATH and what decides which code is loaded are not set.", connected, checkCommands},
		{"golden", "reports what is expected",
			"The report of a recorded output is the one in its want.json.", connected, checkGolden},
		{"events", "sends well-formed events within the limits",
			"Names, texts, samples and excerpts keep within the sizes of the protocol; states are known; numbers are decimal; what an event says of another is reported too.", connected, checkEvents},
		{"chunking", "reports the same however the output is split",
			"Chunks split anywhere, lines and characters too, and the split changes nothing in the report.", connected, checkChunking},
		{"garbage", "survives any output",
			"Any input ends in a report: no crash, no hang. A test has passed only when the runner said so.", connected, checkGarbage},
		{"cut", "survives output cut anywhere",
			"What was not printed cannot have passed: an output that ends early reports no pass that the whole does not have.", connected, checkCut},
		{"damage", "survives damaged output",
			"Any input ends in a report, even if it contains bytes that are not text; all strings are valid UTF-8.", connected, checkDamage},
		{"red-exit", "explains every red run",
			"Every red run has at least one Failure or run_error.", connected, checkRedExits},
		{"fakes", "does not believe what tests print",
			"A log line that looks like a result is not one: a test has passed only when the runner said so.", connected, checkFakes},
		{"cancel", "ends when the host gives up",
			"When the host gives up, it cancels the call: stop, and go on serving others.", connected, checkCancel},
		{"concurrent", "keeps concurrent parses apart",
			"Calls and streams are concurrent; each has its own state.", connected, checkConcurrent},
		{"incomplete", "refuses a stream without start or exit",
			"A stream that ends without exit or begins without start is INVALID_ARGUMENT.", connected, checkIncomplete},
		{"newer-host", "ignores what a newer host adds",
			"Ignore what you do not know: an unknown field, message of a stream, capability. An unknown Stream is standard output.", connected, checkNewerHost},
		{"big-message", "refuses messages that are too big, and lives on",
			"A message has at most 4 MiB. A larger one ends the call with RESOURCE_EXHAUSTED.", connected, checkBigMessage},
		{"memory", "needs bounded memory",
			"A plugin does not keep what it is sent: a line without an end needs less memory than it has bytes.", binary, checkMemory},
		{"reruns", "composes reruns of what failed",
			"RerunCmd takes the tests that a parse reported as failed. Without widen no other test is a target.", connected, checkReruns},
		{"output-of", "passes on one test's output",
			"With CAPABILITY_OUTPUT_OF a parse passes on the whole output of the test that output_of names, however it is split.", connected, checkOutputOf},
		{"lists", "lists tests",
			"With CAPABILITY_LIST, ListCmd composes commands and ParseList reads what they print, however it is split.", connected, checkLists},
		{"dependencies", "reports what suites are built from",
			"With CAPABILITY_DEPENDENCIES a listing also names the parts that each suite is built from: every part that something needs is reported, with paths below the workspace or absolute ones, however the output is split.", connected, checkDependencies},
		{"cover", "measures without changing what runs",
			"With CAPABILITY_COVER, TestCmd with cover runs the same tests as without, and says which commands leave coverage. ParseCoverage reports what is missing or cannot be read.", connected, checkCover},
		{"index", "composes commands that measure test by test",
			"With CAPABILITY_INDEX every command of IndexCmd leaves coverage, or prepares. ParseCoverage reports what is missing or cannot be read, and claims nothing about its tests.", connected, checkIndex},
		{"outline", "divides source files",
			"With CAPABILITY_OUTLINE, Outline reports the requested files that it can read, equal ones equally: units with a name of their own, on lines of the file, with a digest.", connected, checkOutline},
		{"undeclared", "refuses calls that it does not declare",
			"A call that no declared capability covers is UNIMPLEMENTED.", connected, checkUndeclared},
		{"lifeline", "ends with the host that started it",
			"With PROCTOR_LIFELINE=stdin exit when standard input ends.", binary, checkLifeline},
		{"environment", "needs few variables",
			"A host gives a plugin few variables. Of the user's, only PATH is guaranteed: HOME and LANG may be missing.", binary, checkEnvironment},
		{"no-lifeline", "ignores the end of standard input without a lifeline",
			"When PROCTOR_LIFELINE is absent, the end of standard input means nothing.", binary, checkNoLifeline},
		{"shutdown", "ends when told to",
			"plugin.GRPCController/Shutdown: finish and exit with 0, within two seconds.", binary, checkShutdown},
		{"versions", "says so if there is no common version",
			"Serve the highest version of PLUGIN_PROTOCOL_VERSIONS that you also speak. Without one, exit with an error, or greet with a version of yours for the host to refuse.", binary, checkVersions},
		{"tls", "speaks TLS when asked to",
			"With PLUGIN_CLIENT_CERT serve TLS, accept this certificate only and send yours in the handshake, unless the manifest says \"tls\": \"none\".", binary, checkTLS},
		{"stdout", "prints nothing to standard output after the handshake",
			"After the handshake print nothing to standard output; standard error is for logs.", binary, checkStdout},
		{"writes", "writes nothing outside its temporary directory",
			"A plugin may read files of the workspace, and writes none.", binary, checkWrites},
	}
}
