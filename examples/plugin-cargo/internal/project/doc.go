// Package project knows the packages and targets of a cargo workspace, from what
// `cargo metadata --no-deps` prints.
package project
