// Package config reads what a project says about proctor itself: the file
// .proctor.toml in the root of its workspace.
//
// The file may come from anybody. So it is bounded, it is never reached through a
// link, it only holds numbers and a few fixed words, and nothing in it is
// executed. What is wrong in it is an [*Error], never a default that nobody asked
// for.
//
// It is not responsible for acting on what it reads, nor for flags and
// environment variables, nor for the configuration of a language's own tools.
package config
