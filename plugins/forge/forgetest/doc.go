// Package forgetest provides tests with the real forge, as installed by `make forge`,
// and projects in temporary directories to run it in.
//
// It does not read forge's output or install forge (see .ci/install-forge). Only
// tests import it.
package forgetest
