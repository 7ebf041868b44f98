// Package needs says what tests need besides Go. Where it is missing they fail in CI, and
// skip and say so elsewhere.
package needs
