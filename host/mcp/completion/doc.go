// Package completion offers names while a client types an argument of a prompt or of the
// address of a resource. It reads the record, where it may find and note that a run died: it
// starts no run, no build and no plugin.
package completion
