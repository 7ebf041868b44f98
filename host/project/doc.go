// Package project finds the workspace that is meant and the plugins that detect a
// project there, keeps these running, and executes the commands by which a plugin
// lists tests. It has no record of anything.
package project
