// Package affected decides which tests an edit can break, from what was measured of
// them and from what their suites are built from. It fails closed: it selects every
// test that is not known to be out of reach of all changes.
//
// Three states of the sources matter: the base that the user names, the present one, and
// the one in which a suite was measured. The difference between base and present decides
// which suites are concerned; in a suite measured test by test, the difference between
// measurement and present decides which tests are selected. So an omitted test would do
// what it did at the base, or what it did when it was measured and passed, both alone
// and together with the others.
//
// A suite is concerned by a changed file
//
//	                                  measured by test   not measured so
//	it is built from it, now or then         x                  x
//	or would be if the file appeared         x                  x
//	one of its tests read it                 x            (nobody knows)
//	no suite is built from it            if stale *             x
//	any file, if it is opaque                x                  x
//
// It is also concerned by a file that is never among the changes (ignored by version
// control, outside of the workspace, a link) if that differs from the measurement, or
// if the suite is built from it only now or only was then; and if the suite was not
// measured, by any such file that it is built from, changed or not. * A stale suite
// is built from something else than when it was measured, or has tests that were not
// measured, not completely, or did not pass: they may read other files now.
// A change outside the workspace in a file that no suite is built from selects
// everything, since it is unknown which tests read it; so does a link, and a file with
// a control character in its name.
// One gap remains: a suite that was not measured test by test and reads a source that
// other suites are built from, or starts a program that does.
//
// A concerned suite that was not measured test by test is selected whole. In any other,
// each difference from the measurement selects
//
//	a declaration changed, appeared, is gone, moved behind another   all tests
//	a name changed (one that appears or is gone selects nothing)     all tests
//	a body changed or is gone      the tests that execute a block of it; all tests if
//	                               the suite starts up with one, it has none, or tests
//	                               together execute one that none of them does alone
//	a test changed or is new       that test
//	code moved to other lines      the tests that execute a unit that inspects them
//	a source without an outline    all tests
//	another file it is built from  all tests
//	a file that tests read         these tests
//	other files it is built from   all tests
//	tests in another order         all tests
//
// and in any case the tests that were not measured completely, and those that did not
// pass alone or together: a skipped test may have been skipped because it was measured.
// If any test of a suite ends differently alone than together, selecting one selects
// all. Tests that may depend on anything are selected if anything changed, and
// outstanding ones always.
//
// Tests of a suite share state. So the choice includes tests that use state which a
// selected test may leave changed, and tests that may change state which a selected test
// uses: without them it may end differently than in a full run.
//
// The package is pure, and knows no language. It neither finds out what changed nor runs
// anything.
package affected
