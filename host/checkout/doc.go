// Package checkout makes a clean checkout of a commit in a temporary directory,
// for tests to run in, and removes it again.
//
// The user's repository is only read. The checkout is a small repository of its
// own that borrows the user's objects (gitrepository-layout(5),
// objects/info/alternates) and has no configuration but what git gives it: so no
// hook, filter or monitor that the repository names is executed, and nothing that
// the tests do to their repository reaches the user's. `git worktree add` would
// write into the user's repository and run both hooks and filters; `git archive`
// leaves out and rewrites what the attributes export-ignore and export-subst say.
//
// Files that git ignores are not part of a change, and tests may need them, such
// as installed dependencies. Small ones are copied from the working tree, others
// are linked to; what a checkout by the user would have and this one has not is
// said in [Checkout.Lacks].
//
// The package is not responsible for running tests, nor for what their results
// mean.
package checkout
