//go:build !unix

package golden

import "os"

func openNonblocking(path string) (*os.File, error) { return os.Open(path) }
