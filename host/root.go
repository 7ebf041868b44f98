package host

import "context"

// Recorded tells whether there are records of a workspace. It starts no plugin.
func (h *Host) Recorded(where Where) bool {
	_, err := h.openRecords(where)
	return err == nil
}

// Root is the directory of the workspace that is meant. It starts plugins, for only
// they know what makes a project; a [*workspace.NoProjectError] says that there is none.
func (h *base) Root(ctx context.Context, where Where) (string, error) {
	projects, err := h.find(ctx, where, nil)
	if err != nil {
		return "", err
	}
	return projects[0].root.Path, nil
}
