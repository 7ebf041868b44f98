package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// refusal says why the binary at path may not be started, or nothing.
//
// A plugin must not be easier to replace than proctor itself: if proctor's own
// binary has the same weakness, refusing the plugin protects nobody. That is so on
// shared folders of virtual machines, where everything looks writable.
func refusal(path, executable string) string {
	if reason := notRunnable(path); reason != "" {
		return reason
	}
	reason := weakness(path)
	if reason != "" && weakness(executable) != "" {
		return ""
	}
	if reason == "" && !trustedOwner(path, executable) {
		return "it belongs to another user, who could change it; install it yourself, or name it with --plugin"
	}
	return reason
}

// notRunnable says why the file at path cannot be a program, or nothing.
func notRunnable(path string) string {
	stat, err := os.Stat(path)
	switch {
	case err != nil:
		return "it cannot be read: " + withoutPath(err)
	case stat.IsDir():
		return "it is a directory"
	case !stat.Mode().IsRegular():
		return "it is not a regular file"
	case runtime.GOOS != "windows" && stat.Mode().Perm()&0o111 == 0:
		return fmt.Sprintf("it is not executable; if it is yours: chmod +x %s", path)
	}
	return ""
}

// withoutPath removes the path from an error, as the caller's message has it already.
func withoutPath(err error) string {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return file.Err.Error()
	}
	return err.Error()
}
