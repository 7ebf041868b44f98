package project

import (
	"errors"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
)

// Settings are what the workspace asks for. Those of an upload do not count.
func (h *Host) Settings(root string) (config.Config, error) {
	if h.Box != nil {
		return config.Default(), nil
	}
	settings, err := config.Load(root)
	var wrong *config.Error
	if errors.As(err, &wrong) {
		err = &api.UsageError{Reason: wrong.Error()}
	}
	return settings, err
}

// RawOutput reports whether a workspace, a directory with records, asks for runs to
// be answered with the runner's own output.
func (h *Host) RawOutput(workspace string) (bool, error) {
	settings, err := h.Settings(workspace)
	return settings.MCP.RawOutput, err
}
