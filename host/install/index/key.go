package index

import (
	"fmt"
	"strings"

	"aead.dev/minisign"
)

// maxKey bounds a key, in bytes: it is two lines.
const maxKey = 4 << 10

// ParseKey parses a public key, "RW…" or the content of a minisign.pub, and returns it
// as "RW…", with its id as minisign prints it. The error is a [*SignatureError].
func ParseKey(text string) (key, id string, err error) {
	public, err := parseKey(text)
	if err != nil {
		return "", "", &SignatureError{Problem: BadKey, Reason: "the key " + err.Error()}
	}
	return public.String(), keyID(public.ID()), nil
}

func parseKey(text string) (minisign.PublicKey, error) {
	var public minisign.PublicKey
	if len(text) > maxKey {
		return public, fault("is too long to be one")
	}
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	if len(lines) == 2 && strings.HasPrefix(lines[0], "untrusted comment:") {
		lines = lines[1:]
	}
	line := strings.TrimSpace(lines[0])
	if len(lines) != 1 || public.UnmarshalText([]byte(line)) != nil || public.String() != line {
		return public, fault(`is no public key of minisign: give the line that begins with "RW", or the content of minisign.pub`)
	}
	return public, nil
}

// keyID formats an id as minisign does.
func keyID(id uint64) string { return fmt.Sprintf("%X", id) }
