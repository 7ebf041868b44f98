//go:build !unix

package plugin

// Windows access lists are not examined: the check is for Unix modes.
func weakness(string) string { return "" }

func trustedOwner(string, string) bool { return true }
