// Package screen shows a watch to people: at a terminal as a view at its bottom that is
// replaced round by round, with keys, and elsewhere as plain lines.
//
// Only the view is ever erased, by moving the cursor: what stood on the terminal before,
// and a line for each round, stays in its scrollback.
package screen
