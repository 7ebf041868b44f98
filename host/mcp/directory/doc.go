// Package directory knows where a server was started, and which directories may be workspaces.
// It is not responsible for what is in them.
package directory
