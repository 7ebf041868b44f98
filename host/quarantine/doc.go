// Package quarantine is about tests whose known failure does not decide a verdict. The
// project names them, with that failure, in a committed file in the root of its
// workspace.
//
// Only the known failure is excused. A different failure, a test or suite without an end,
// and an entry that expired or matches no test all decide as usual. The file is trusted no
// more than the sources; every verdict is shown with what was excused.
package quarantine
