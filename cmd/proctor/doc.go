// Command proctor runs a project's tests, remembers what happened and answers
// questions about it. What it does stands in package cli.
package main
