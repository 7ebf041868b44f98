// Package plugincall makes one call of a plugin, for its author, and prints the answer.
package plugincall
