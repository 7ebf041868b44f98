//go:build !unix

package reports

import "os"

func openInPlace(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }
