// Package terminal shows a person a run while it goes on: redrawn at a terminal, a line a
// suite elsewhere, or in the form that was asked for. How a run ended is for package
// render to tell.
package terminal
