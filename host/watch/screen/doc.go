// Package screen shows a watch to people: at a terminal as an interactive view at its
// bottom, and elsewhere as plain lines.
//
// Only the view itself is ever erased. Earlier output, and a line for each round, stay in
// the terminal's scrollback.
package screen
