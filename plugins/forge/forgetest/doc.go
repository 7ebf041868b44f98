// Package forgetest gives tests the real forge: where `make forge` installed it,
// and projects in temporary directories to run it in.
//
// It is not responsible for reading what forge writes, nor for installing forge
// (see .ci/install-forge). Only tests import it.
package forgetest
