// Package mcpconfig adds proctor to the configuration of programs that speak MCP: it
// knows which file of which program, what the entry for proctor looks like, and how to
// add it to somebody else's file. Everything else in such a file stays byte for byte,
// comments included.
//
// It does not know what an MCP server does, and starts no client. If a client has a
// command of its own for this, the entry names that command and the user runs it.
package mcpconfig
