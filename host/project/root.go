package project

import (
	"context"

	"github.com/proctorhq/proctor/host/api"
)

// Root is the directory of the workspace that is meant. It starts plugins, for only
// they know what makes a project; a [*workspace.NoProjectError] says that there is none.
func (h *Host) Root(ctx context.Context, where api.Where) (string, error) {
	projects, err := h.find(ctx, where, nil)
	if err != nil {
		return "", err
	}
	return projects[0].Root.Path, nil
}
