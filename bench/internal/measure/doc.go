// Package measure runs whole programs and measures their time and memory.
//
// Contenders run in turns, A B A B, so that a change of the machine's load affects all
// of them; medians and the ratios within a turn are compared. Processor time includes
// all processes that a program started and waited for.
//
// The package judges nothing: which figures to expect is up to its user.
package measure
