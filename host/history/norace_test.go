//go:build !race

package history_test

// raced: the race detector watches, and everything takes many times as long.
const raced = false
