// Package head reads of a request over HTTP what decides who answers it: whether it begins a
// session, and in which version of the protocol. It does not decide whether it may be
// answered.
package head
