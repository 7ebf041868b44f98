//go:build !unix

package examples_test

import (
	"errors"
	"syscall"
)

const stopSignal = syscall.Signal(0)

func sendSignal(int, syscall.Signal) error { return errors.ErrUnsupported }
