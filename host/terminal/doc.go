// Package terminal shows a run in progress: redrawn on a terminal, a line for each suite
// elsewhere, or in the requested format. Package render shows how a run ended.
package terminal
