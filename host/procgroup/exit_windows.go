package procgroup

import "os"

// exitOf reads the state of a reaped process. Windows has no signals: a killed process
// has the exit code that its killer chose.
func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
