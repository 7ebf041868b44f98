// Package flags binds the parameters of requests to flags, and tells proctor's own flags
// from the runner's.
package flags
