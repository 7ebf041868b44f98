//go:build !linux

package conform

// residentMemory is implemented only for Linux, which has a file for it.
func residentMemory(int) (now, peak int64, ok bool) { return 0, 0, false }
