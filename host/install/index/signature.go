package index

import (
	"bytes"
	"fmt"

	"aead.dev/minisign"
)

// maxSignature bounds a signature, in bytes: it is four lines, including two comments.
const maxSignature = 8 << 10

// Verify checks a minisign signature of data with a public key, "RW…" or the content of
// a minisign.pub. The trusted comment must be signed, too. The error is a
// [*SignatureError].
func Verify(data, signature []byte, key string) error {
	public, err := parseKey(key)
	if err != nil {
		return &SignatureError{Problem: BadKey, Reason: "the key that is expected " + err.Error()}
	}
	expected := keyID(public.ID())
	if len(bytes.TrimSpace(signature)) == 0 {
		return &SignatureError{
			Problem: Missing, Expected: expected,
			Reason: fmt.Sprintf("%s is not signed, and a signature by key %s is expected: do not install from there before its publisher says why", File, expected),
		}
	}
	parsed, err := parseSignature(signature)
	if err != nil {
		return &SignatureError{
			Problem: Malformed, Expected: expected,
			Reason: fmt.Sprintf("%s%s is no signature of minisign (%v), and one by key %s is expected: fetch it again", File, SignatureSuffix, err, expected),
		}
	}
	actual := keyID(parsed.KeyID)
	if parsed.KeyID != public.ID() {
		return &SignatureError{
			Problem: OtherKey, Expected: expected, Actual: actual,
			Reason: fmt.Sprintf("%s is signed by key %s, and key %s is expected", File, actual, expected),
		}
	}
	if !minisign.Verify(public, data, signature) {
		return &SignatureError{
			Problem: WrongContent, Expected: expected, Actual: actual,
			Reason: fmt.Sprintf("%s or its signature was changed after key %s signed it: do not install from there", File, expected),
		}
	}
	return nil
}

// KeyOf returns the id of the key that made a signature, as minisign prints it, for
// messages. Anybody can write any id into a signature.
func KeyOf(signature []byte) (id string, err error) {
	parsed, err := parseSignature(signature)
	if err != nil {
		return "", &SignatureError{Problem: Malformed, Reason: fmt.Sprintf("%s%s is no signature of minisign (%v)", File, SignatureSuffix, err)}
	}
	return keyID(parsed.KeyID), nil
}

func parseSignature(signature []byte) (minisign.Signature, error) {
	var parsed minisign.Signature
	if len(signature) > maxSignature {
		return parsed, fault("it is too long to be one")
	}
	if parsed.UnmarshalText(signature) != nil {
		return parsed, fault("its form is another")
	}
	return parsed, nil
}
