// Package examples holds projects to try proctor on and plugins to copy. Its tests
// install the plugins as a user would and run them on real projects, so that the
// examples work.
package examples
