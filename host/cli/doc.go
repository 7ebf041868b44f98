// Command proctor runs a project's tests, remembers what happened and answers
// questions about it.
//
// This package turns flags into requests to the use cases, and its answers into
// text or JSON. It is the only place that prints. It is not responsible for any
// decision about tests.
package cli
