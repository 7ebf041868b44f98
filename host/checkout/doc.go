// Package checkout makes a clean checkout of a commit in a temporary directory,
// for tests to run in, and removes it again.
//
// The user's repository is only read. The checkout is a small repository of its
// own that borrows the user's objects (gitrepository-layout(5),
// objects/info/alternates) and has only git's built-in configuration: so no hook,
// filter or monitor named by the repository is executed, and nothing that the
// tests do to their repository reaches the user's. `git worktree add` would write
// to the user's repository and run both hooks and filters; `git archive` omits and
// rewrites files according to the attributes export-ignore and export-subst.
//
// Ignored files are not part of a change, but tests may need them, such as
// installed dependencies. Small ones are copied from the working tree, others are
// linked; [Checkout.Lacks] names what an ordinary checkout would have beyond that.
//
// It neither runs tests nor interprets their results.
package checkout
