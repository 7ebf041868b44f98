// Package limits bounds what a tool's answer has of what the host knows: every field of every
// answer, by a table of rules, made harmless, and with advice in the words of the tools. It
// is not responsible for what an answer is about.
package limits
