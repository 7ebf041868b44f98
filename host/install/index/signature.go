package index

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"aead.dev/minisign"
)

// maxSignature bounds a signature, in bytes: it is four lines, including two comments.
const maxSignature = 8 << 10

// Verify checks a minisign signature of data with a public key, "RW…" or the content of
// a minisign.pub. The trusted comment must be signed, too.
func Verify(data, signature []byte, key string) error {
	public, err := parseKey(key)
	if err != nil {
		return errors.New("the expected key " + err.Error())
	}
	expected := keyID(public.ID())
	if len(bytes.TrimSpace(signature)) == 0 {
		return fmt.Errorf("%s is not signed, and a signature by key %s is expected: do not install from there before its publisher says why", File, expected)
	}
	parsed, err := parseSignature(signature)
	if err != nil {
		return fmt.Errorf("%s%s is not a minisign signature (%v), and one by key %s is expected: fetch it again", File, SignatureSuffix, err, expected)
	}
	actual := keyID(parsed.KeyID)
	if parsed.KeyID != public.ID() {
		return fmt.Errorf("%s is signed by key %s, and key %s is expected", File, actual, expected)
	}
	if !minisign.Verify(public, data, signature) {
		return fmt.Errorf("%s or its signature was changed after key %s signed it: do not install from there", File, expected)
	}
	return nil
}

// KeyOf returns the id of the key that made a signature, as minisign prints it, for
// messages. Anybody can write any id into a signature.
func KeyOf(signature []byte) (id string, err error) {
	parsed, err := parseSignature(signature)
	if err != nil {
		return "", fmt.Errorf("%s%s is not a minisign signature (%v)", File, SignatureSuffix, err)
	}
	return keyID(parsed.KeyID), nil
}

func parseSignature(signature []byte) (minisign.Signature, error) {
	var parsed minisign.Signature
	if len(signature) > maxSignature {
		return parsed, errors.New("it is too long to be one")
	}
	if parsed.UnmarshalText(signature) != nil {
		return parsed, errors.New("it has another form")
	}
	return parsed, nil
}

// maxKey bounds a key, in bytes: it is two lines.
const maxKey = 4 << 10

// ParseKey parses a public key, "RW…" or the content of a minisign.pub, and returns it
// as "RW…", with its id as minisign prints it.
func ParseKey(text string) (key, id string, err error) {
	public, err := parseKey(text)
	if err != nil {
		return "", "", errors.New("the key " + err.Error())
	}
	return public.String(), keyID(public.ID()), nil
}

func parseKey(text string) (minisign.PublicKey, error) {
	var public minisign.PublicKey
	if len(text) > maxKey {
		return public, errors.New("is too long to be one")
	}
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	if len(lines) == 2 && strings.HasPrefix(lines[0], "untrusted comment:") {
		lines = lines[1:]
	}
	line := strings.TrimSpace(lines[0])
	if len(lines) != 1 || public.UnmarshalText([]byte(line)) != nil || public.String() != line {
		return public, errors.New(`is not a minisign public key: give the line that begins with "RW", or the content of minisign.pub`)
	}
	return public, nil
}

// keyID formats an id as minisign does.
func keyID(id uint64) string { return fmt.Sprintf("%X", id) }
