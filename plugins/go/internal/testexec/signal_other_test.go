//go:build !unix

package testexec_test

func waitForSignal() {}
