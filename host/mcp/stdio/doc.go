// Package stdio serves a client of the Model Context Protocol over a pipe. It answers
// what would make the SDK end the connection, and ends a connection whether or not the
// client still reads.
package stdio
