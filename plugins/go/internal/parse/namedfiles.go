package parse

import "path/filepath"

// namedSuite is the import path of a package that is a list of files.
const namedSuite = "command-line-arguments"

// namedFiles are the files of such a package; none without a workspace.
func (p *paths) namedFiles(names []string) map[string][]string {
	if p.root == "" || len(names) == 0 {
		return nil
	}
	var files []string
	for _, name := range names {
		if !isAbs(name) {
			name = filepath.Join(p.cwd, filepath.FromSlash(name))
		}
		files = append(files, name)
	}
	return map[string][]string{namedSuite: files}
}
