//go:build !linux

package procgroup

// limitData does nothing: only Linux can limit another process.
func limitData(int, uint64) {}
