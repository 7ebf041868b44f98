// Package logs sends a client what is logged in its session, by the protocol's logging. It
// is not responsible for what is logged, or for where else it is written.
package logs
