// Package prompts has what users of agents often ask for, in words that lead to the tools.
package prompts
