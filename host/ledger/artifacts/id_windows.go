package artifacts

// terminalID is unknown on Windows: all terminals share a session unless
// PROCTOR_SESSION distinguishes them.
func terminalID() (string, bool) { return "", false }
