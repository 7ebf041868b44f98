// Package mcp is the front for coding agents: it offers the use cases as the tools,
// resources and prompts of a Model Context Protocol server.
//
// It decides what an agent sees: the tools' names, parameters and texts, how much an
// answer may hold, which workspace a call means, and that a run continues when the call
// that began it is cut off. Every answer is complete twice, as text and as an object,
// since clients show a model one or the other. The text of tests and plugins is data in
// it: bounded, without control characters, and never in place of the server's own words.
//
// Running and judging tests is up to the use cases, the protocol to the official SDK,
// and the process to the command line, which supplies the streams.
package mcp
