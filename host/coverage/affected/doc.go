// Package affected decides which tests an edit can break, by what was measured of them
// and by what their suites are built from. It fails closed: a test that is not known to
// be out of reach of every change is chosen.
//
// There are three states of the sources: the base that the user names, now, and the one
// in which a suite was measured. The difference between base and now decides which
// suites are concerned; in a suite that was measured test by test, the difference
// between its measurement and now decides which tests are chosen. So a test that is left
// out would do what it did at the base, or what it did when it was measured, and passed
// both alone and together with the others.
//
// A suite is concerned by a changed file
//
//	                                  measured by test   not measured so
//	it is built from it, now or then         x                  x
//	or would be if the file appeared         x                  x
//	one of its tests read it                 x            (nobody knows)
//	no suite is built from it            if stale *             x
//	any file, where it is opaque             x                  x
//
// and by one that is not among the changes where that is not known to be as in the base
// (ignored by version control, outside of the workspace, a link) and differs from what
// was measured, or from which it is built only now or only was then; where nothing was
// measured of the suite, by any such one that it is built from, whether anything changed
// or not. * A stale suite is built from something else now than when it was
// measured, or has tests that were not, not wholly, or did not pass: they may read what
// they did not.
// A change outside of the workspace in a file that no suite is built from chooses
// everything, since it is not known which tests read such; so does a link, and a file
// with a control character in its name.
// What this leaves open: a suite that was not measured test by test, and reads a source of
// which other suites are built, or starts a program that does.
//
// A concerned suite that was not measured test by test is chosen whole. In another one
// each difference from the measurement chooses
//
//	a declaration changed, appeared, is gone, moved behind another   all tests
//	a name changed (one that appears or is gone chooses nothing)     all tests
//	a body changed or is gone      the tests that execute a block of it; all tests where
//	                               the suite starts up with one, it has none, or tests
//	                               together execute one that none of them does alone
//	a test changed or is new       that test
//	code moved to other lines      the tests that execute a unit that looks at such
//	a source without an outline    all tests
//	another file it is built from  all tests
//	a file that tests read         these tests
//	other files it is built from   all tests
//	tests in another order         all tests
//
// and in any case the tests that were not measured or not wholly, and those that did not
// pass alone or together: one that was skipped may have been so because it was measured.
// Wherever one test of a suite is chosen of which any ends otherwise alone than together,
// all are. Tests that may depend on anything are chosen where anything changed, and
// outstanding ones always.
//
// Tests of a suite share state. So those are chosen as well that use what a chosen test
// may leave otherwise, and those that may leave what a chosen test uses: without them it
// may end otherwise than among all tests.
//
// It is values in, values out, and knows no language. It is not responsible for
// finding out what changed, nor for running anything.
package affected
