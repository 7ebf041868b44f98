package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// scriptPlatform is what --bin calls the platforms on which a script can be started.
const scriptPlatform = "unix"

// scriptPlatforms are those of them that people have. A manifest names each platform:
// what is on none of them is asked for by name.
var scriptPlatforms = [...]manifest.Platform{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"}

// binaryFlag reads one --bin.
func binaryFlag(pair string) (platforms []manifest.Platform, path string, err error) {
	name, path, ok := strings.Cut(pair, "=")
	if ok && path != "" && name == scriptPlatform {
		if script, err := isScript(path); err == nil && !script {
			return nil, "", fmt.Errorf("--bin %s: %s is no script, it does not begin with #!; a compiled program is for one platform: name that, such as linux_amd64", pair, path)
		}
		return scriptPlatforms[:], path, nil
	}
	platform := manifest.Platform(name)
	if !ok || path == "" || !platform.Valid() {
		return nil, "", fmt.Errorf("--bin %q: give PLATFORM=PATH, with a platform such as linux_amd64, or %s for a script", pair, scriptPlatform)
	}
	return []manifest.Platform{platform}, path, nil
}

// scriptSign begins a file that the kernel starts by an interpreter.
const scriptSign = "#!"

// isScript reports whether a file begins with scriptSign. What cannot be read is left to
// who packs it.
func isScript(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() { // reading it could block
		return false, os.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	begin := make([]byte, len(scriptSign))
	_, err = io.ReadFull(f, begin)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return string(begin) == scriptSign, err
}
