// Package soak works with one `proctor mcp` for as long as an agent works in a day: it
// breaks a small module, queries, fixes, queries again, and checks each answer.
// Meanwhile it samples what the server holds, so that growth becomes visible.
//
// A wrong answer ends the soak: nothing else matters about a server that is wrong.
package soak
