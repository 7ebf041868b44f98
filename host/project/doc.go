// Package project finds the workspace and the plugins that detect a project there,
// keeps these running, and executes the commands by which a plugin lists tests. It
// keeps no record.
package project
