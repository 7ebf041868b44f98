package artifacts

// terminalID is not known on Windows: all terminals share a session unless
// PROCTOR_SESSION tells them apart.
func terminalID() (string, bool) { return "", false }
