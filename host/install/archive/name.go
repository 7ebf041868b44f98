package archive

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// nameCharacters are the characters of file names. They exclude anything that a file
// system or terminal could interpret: separators of any system, colons, control
// characters, lookalike letters.
const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+"

// maxName is the longest file name: the space in a tar header. The longest one needed
// has 51 bytes.
const maxName = 100

// devices are device names on Windows, in every directory and with any extension.
var devices = []string{
	"con", "prn", "aux", "nul",
	"com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// fileName returns the name of a regular file in an archive without the "./" that tar
// adds when it packs a directory. The error is only a reason.
func fileName(entry string) (string, error) {
	name := strings.TrimPrefix(entry, "./")
	stem, _, _ := strings.Cut(name, ".")
	switch {
	case name == "":
		return "", fmt.Errorf("it has no name")
	case len(name) > maxName:
		return "", fmt.Errorf("its name has %d bytes; the limit is %d", len(name), maxName)
	case strings.ContainsAny(name, `/\`):
		return "", fmt.Errorf("it is in a directory; the files of a plugin are side by side")
	case strings.Trim(name, nameCharacters) != "":
		return "", fmt.Errorf("its name has characters other than letters, digits and ._-+")
	case strings.HasPrefix(name, "."):
		return "", fmt.Errorf("it is a hidden file; macOS's tar adds such files unless COPYFILE_DISABLE=1 is set")
	case strings.HasSuffix(name, "."):
		return "", fmt.Errorf("its name ends with a dot, which Windows drops")
	case slices.Contains(devices, strings.ToLower(stem)) || !filepath.IsLocal(name):
		return "", fmt.Errorf("its name is that of a device")
	}
	return name, nil
}

// isSelf reports whether a directory is the packed one itself, for which tar has an
// entry.
func isSelf(entry string) bool { return entry == "." || entry == "./" }
