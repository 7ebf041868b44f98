// Package pattern writes and reads the expressions of "go test -run" and its
// siblings: [Compose] turns names of tests into the fewest expressions that
// select exactly these, [Parse] reads what a user wrote.
//
// It avoids the shapes that are slow in package testing, which caches a single
// compiled expression: an alternation outside of parentheses is recompiled for every
// test. It does not know which tests exist.
package pattern
