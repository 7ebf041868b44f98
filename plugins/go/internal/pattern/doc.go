// Package pattern writes and reads the expressions of "go test -run" and its
// siblings: [Compose] turns names of tests into the fewest expressions that
// select exactly these, [Parse] reads what a user wrote.
//
// It knows the shapes that are slow in package testing, which keeps a single
// compiled expression: every alternation outside of parentheses compiles anew
// for every test. It is not responsible for which tests exist.
package pattern
