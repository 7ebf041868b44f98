package index

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The ids of the keys of testdata/signed, as minisign printed them.
const (
	ownID   = "779F8A671FC34CC0"
	otherID = "E756986F434B9A60"
	bareKey = "RWTATMMfZ4qfd20S0VNhh9QvdhdhdSRErmbbLOpWADun63sQ1lsAbNCy"
)

func TestSignaturesOfMinisignAreVerified(t *testing.T) {
	data := signed(t, File)
	crlf := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }
	pub := string(signed(t, "minisign.pub"))
	for _, key := range []string{bareKey, " " + bareKey + "\n", pub, string(crlf([]byte(pub))), strings.TrimSpace(pub)} {
		for _, name := range []string{"index.json.minisig", "legacy.minisig"} {
			for _, signature := range [][]byte{signed(t, name), crlf(signed(t, name)), bytes.TrimSpace(signed(t, name))} {
				if err := Verify(data, signature, key); err != nil {
					t.Errorf("%s with %q: %v", name, key, err)
				}
			}
		}
	}
	if err := Verify(data, signed(t, "other.minisig"), string(signed(t, "other.pub"))); err != nil {
		t.Error(err)
	}
}

func TestASignatureErrorSaysWhatIsWrong(t *testing.T) {
	data, good := signed(t, File), signed(t, "index.json.minisig")
	lines := strings.SplitAfter(string(good), "\n")
	with := func(n int, line string) []byte {
		changed := slices.Clone(lines)
		changed[n] = line
		return []byte(strings.Join(changed, ""))
	}
	legacy := strings.SplitAfter(string(signed(t, "legacy.minisig")), "\n")
	renamed := signatureOf(t, "other.minisig", good)
	for name, c := range map[string]struct {
		data, signature []byte
		key             string
		says            string
	}{
		"none":                            {data, nil, bareKey, "is not signed, and a signature by key " + ownID},
		"an empty one":                    {data, []byte("\n"), bareKey, "is not signed, and a signature by key " + ownID},
		"an answer of a web server":       {data, []byte("<html>\n\n\n\n"), bareKey, "and one by key " + ownID},
		"half of one":                     {data, good[:100], bareKey, "and one by key " + ownID},
		"one with more after it":          {data, append(slices.Clone(good), "more"...), bareKey, "and one by key " + ownID},
		"a huge one":                      {data, bytes.Repeat(good, 100), bareKey, "and one by key " + ownID},
		"one by another key":              {data, signed(t, "other.minisig"), bareKey, "is signed by key " + otherID + ", and key " + ownID},
		"one by another key, renamed":     {data, renamed, bareKey, "was changed after key " + ownID},
		"one of another content":          {append(slices.Clone(data), ' '), good, bareKey, "was changed after key " + ownID},
		"a legacy one of another content": {data[1:], signed(t, "legacy.minisig"), bareKey, "was changed after key " + ownID},
		"another trusted comment":         {data, with(2, "trusted comment: another\n"), bareKey, "was changed after key " + ownID},
		"another form's signature":        {data, with(1, legacy[1]), bareKey, "was changed after key " + ownID},
		"no key":                          {data, good, "", "the expected key is "},
		"half a key":                      {data, good, bareKey[:40], "the expected key is "},
		"a key and more":                  {data, good, bareKey + "\n" + bareKey, "the expected key is "},
		"a key with something in it":      {data, good, bareKey[:20] + "\r" + bareKey[20:], "the expected key is "},
		"a signature as a key":            {data, good, string(good), "the expected key is "},
		"a huge key":                      {data, good, strings.Repeat(bareKey, 100), "the expected key is "},
	} {
		err := Verify(c.data, c.signature, c.key)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// signatureOf returns a signature by one key with the key id of another.
func signatureOf(t *testing.T, name string, idOf []byte) []byte {
	t.Helper()
	by, err := parseSignature(signed(t, name))
	if err != nil {
		t.Fatal(err)
	}
	id, err := parseSignature(idOf)
	if err != nil {
		t.Fatal(err)
	}
	by.KeyID = id.KeyID
	text, err := by.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTheKeyOfASignatureIsNamedAsMinisignDoes(t *testing.T) {
	for name, want := range map[string]string{"index.json.minisig": ownID, "legacy.minisig": ownID, "other.minisig": otherID} {
		if id, err := KeyOf(signed(t, name)); id != want || err != nil {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
	if id, err := KeyOf([]byte("nonsense")); id != "" || err == nil {
		t.Errorf("%q, %v", id, err)
	}
}

func TestAKeyIsReadBareAndFromItsFile(t *testing.T) {
	for _, text := range []string{bareKey, string(signed(t, "minisign.pub"))} {
		if key, id, err := ParseKey(text); key != bareKey || id != ownID || err != nil {
			t.Errorf("%q: %q, %q, %v", text, key, id, err)
		}
	}
	_, _, err := ParseKey("rubbish\x1b[2J")
	if err == nil || !strings.HasPrefix(err.Error(), "the key is not") || strings.Contains(err.Error(), "\x1b") {
		t.Error(err)
	}
}
