// Package help writes the help of a command: for the languages of the workspace, in their
// words, and in the width of the terminal.
package help
