//go:build !race

package sqlite

// raced: the race detector watches, and everything takes many times as long.
const raced = false
