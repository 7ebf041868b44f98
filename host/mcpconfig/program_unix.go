//go:build !windows

package mcpconfig

// programFile is the file that a shell runs for proctor's name.
const programFile = serverName
