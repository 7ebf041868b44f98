package prose

// QualifiedName is the display name of a test as the seed tools write it. It is
// for reading only.
func QualifiedName(suite, test string) string { return Joined(suite, "/", test) }

// Joined names a test, a suite, or the run.
func Joined(suite, separator, test string) string {
	switch {
	case suite == "" && test == "":
		return "(the run)"
	case test == "":
		return suite
	case suite == "":
		return test
	}
	return suite + separator + test
}
