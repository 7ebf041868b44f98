package outstanding

// Why tells more of a [Reason]. It is for the reader, and empty where nothing more is
// known.
type Why string

// What there is to tell.
const (
	// Of a suite or a run.
	WhyUnbuilt Why = "did_not_build"
	WhySetup   Why = "setup_failed"
	WhyCut     Why = "cut_off" // by its time, a signal or the user
	// Of a suite alone.
	WhyOutside Why = "failed_outside_tests"
	WhyEarly   Why = "ended_early"
	WhyFixture Why = "fixture_failed"
	// Of a run alone.
	WhyTool      Why = "tool_failed"   // the runner, or who reads it
	WhyNoEnd     Why = "no_end"        // nothing tells how it ended
	WhyUnwritten Why = "end_unwritten" // it ended, and that could not be put on record
	WhyLost      Why = "record_lost"   // with what had been outstanding
	// Of a test that did not finish: its process ended inside of it, so that parts of
	// it may never have started; or by what something else did.
	WhyParts  Why = "parts_unknown"
	WhyBeside Why = "ended_beside"
	// WhyUntold: of a test that never started as far as anybody knows. Its runner was
	// stopped before it had said anything.
	WhyUntold Why = "no_result"
)
