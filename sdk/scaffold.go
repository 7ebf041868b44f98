package sdk

// SourceFile is a file of a source set.
type SourceFile struct {
	// Path is clean, relative and slash-separated.
	Path    string
	Content []byte
}

// ScaffoldRequest asks what a set of source files needs around it. The host has checked
// the paths: relative, clean, distinct regardless of case, nothing hidden.
type ScaffoldRequest struct {
	// Workspace is the project whose dependencies may be used; without a root there is
	// none.
	Workspace Workspace
	// Sources are the files, at most [MaxSources] bytes in total.
	Sources []SourceFile
}

// Scaffold says how to turn the sources into a project. The host makes a temporary
// workspace of it, and executes every command for it in a sandbox: without network,
// with an environment of only PATH, a home and a directory for temporary files, and
// able to write nowhere else.
type Scaffold struct {
	// Files are written beside the sources, and must not replace any.
	Files []SourceFile
	// Links are directories of the machine that appear in the workspace, read-only.
	Links []Link
	// Env is added to the environment.
	Env map[string]string
	// Readable are absolute paths that the tools must be able to read, such as a cache
	// of modules. They appear unchanged in the sandbox.
	Readable []string
	// Warnings are what the user should know.
	Warnings []string
}

// Link makes a directory of the machine visible in a workspace.
type Link struct {
	// Path is where it appears, relative to the workspace root.
	Path string
	// Target is the absolute path of the directory.
	Target string
}
