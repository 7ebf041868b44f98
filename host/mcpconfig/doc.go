// Package mcpconfig puts proctor into the configuration of programs that speak
// MCP: which file of which program, what the entry for proctor looks like there,
// and how it gets into a file that is somebody else's. Everything else in such a
// file stays byte for byte, comments included.
//
// It is not responsible for what an MCP server does, and starts no client. Where a
// client can be told in its own words, the entry names that command and the user
// runs it.
package mcpconfig
