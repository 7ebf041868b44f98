//go:build !linux

package procgroup

// limitData does nothing: only Linux lets another process be limited.
func limitData(int, uint64) {}
