// Package tasks lets a client call a tool as a task of the protocol: the call is answered at
// once, and its result is asked for later. It speaks the tasks of version 2025-11-25, where the
// client asks for them, and the extension of version 2026-07-28, where the server makes them of
// calls that take long.
//
// A task is the plain call in the background, so its result is what the plain call would have
// returned, whatever that is. Which tools may be tasks, what a call does and how its run is
// stopped is up to the server: it asks [In] whether a call is one.
package tasks
