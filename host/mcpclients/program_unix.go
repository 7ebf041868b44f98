//go:build !windows

package mcpclients

// programFile is the file that a shell runs for proctor's name.
const programFile = serverName
