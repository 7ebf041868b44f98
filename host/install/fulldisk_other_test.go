//go:build !linux

package install

import (
	"context"
	"errors"
)

func (c child) runOnFullDisk(context.Context) error {
	return errors.New("only Linux can mount a file system for one process")
}
