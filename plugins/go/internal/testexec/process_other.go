//go:build !unix

package testexec

import (
	"io"
	"os"
)

// forwarded is the only signal there is; the console has sent it to the child, too.
var forwarded = []os.Signal{os.Interrupt}

func exitAs(child *os.ProcessState, _ io.Writer) int { return child.ExitCode() }
