// Command proctor runs a project's tests, remembers what happened and answers
// questions about it. It is implemented by package cli.
package main
