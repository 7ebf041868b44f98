package session

// Shared is the session of commands that have no terminal, such as those of a
// script, of CI or of an agent's shell, which may start each command apart.
const Shared = "shared"

// ID names the session of a command: what the user said with PROCTOR_SESSION,
// else the terminal session, else [Shared].
func ID(override string) string {
	if override != "" {
		return override
	}
	if id, ok := terminalID(); ok {
		return id
	}
	return Shared
}
