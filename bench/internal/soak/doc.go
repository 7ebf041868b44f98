// Package soak works with one `proctor mcp` for as long as an agent works in a day:
// it breaks a small module, asks, mends, asks again, and checks each answer. What the
// server holds is sampled all the while, so that what grows is seen.
//
// An answer that is wrong ends it: of a server that is wrong nothing else matters.
package soak
