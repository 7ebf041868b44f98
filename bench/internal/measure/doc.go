// Package measure runs whole programs and takes their time and memory.
//
// Contenders run in turns, A B A B, so that a change of the machine's load
// hits all of them; what is compared are medians and the ratios within a turn.
// Processor time counts all processes that a program started and waited for.
//
// The package judges nothing: what a figure should be is its user's business.
package measure
