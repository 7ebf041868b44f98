package install

import (
	"fmt"
	"io"
	"os"

	"github.com/proctorhq/proctor/host/install/index"
)

// maxKey is the longest public key file, in bytes: minisign writes 113 and a comment.
const maxKey = 4 << 10

// givenKey returns the key that a user gave: the key itself, or a file with it.
func givenKey(given string) (string, error) {
	if key, _, err := index.ParseKey(given); err == nil {
		return key, nil
	}
	data, err := readSmall(given, maxKey)
	if err != nil {
		return "", &UsageError{Reason: fmt.Sprintf("--key %q is neither a public key of minisign (RW…) nor a file that can be read: %v", given, err)}
	}
	key, _, err := index.ParseKey(string(data))
	if err != nil {
		return "", &UsageError{Reason: fmt.Sprintf("--key %s: %v", given, err)}
	}
	return key, nil
}

// keyID returns the id of a valid public key, as minisign prints it.
func keyID(key string) string {
	_, id, _ := index.ParseKey(key)
	return id
}

// readSmall reads a regular file of at most limit bytes.
func readSmall(path string, limit int64) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is longer than %d bytes", path, limit)
	}
	return data, err
}
