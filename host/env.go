package host

import "github.com/proctorhq/proctor/host/workspace"

// Getenv looks a variable up in an environment, as the platform compares names;
// the last entry counts.
func Getenv(env []string, key string) string { return workspace.Getenv(env, key) }
