//go:build !linux

package install

import (
	"context"
	"errors"
)

func (c child) runOnFullDisk(context.Context) error {
	return errors.New("only Linux has file systems for one process")
}
