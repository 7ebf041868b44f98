// Package mcp is the front for coding agents: it offers what the use cases
// do as the tools, resources and prompts of a Model Context Protocol server.
//
// It is responsible for what an agent sees: the tools' names, parameters and
// texts, how much an answer may hold, which workspace a call means, and that a run
// goes on when the call that began it is cut off. Every answer is complete twice,
// as text and as an object, since clients show a model one or the other. The text
// of tests and plugins is data in it: bounded, without control characters, and
// never at the place of the server's own words.
//
// It is not responsible for running or judging tests, which are the use
// cases, nor for the protocol, which is the official SDK's, nor for the
// process: the command line hands it the streams.
package mcp
