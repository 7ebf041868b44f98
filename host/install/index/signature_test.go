package index

import (
	"bytes"
	"errors"
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
		data, signature  []byte
		key              string
		problem          Problem
		expected, actual string
	}{
		"none":                            {data, nil, bareKey, Missing, ownID, ""},
		"an empty one":                    {data, []byte("\n"), bareKey, Missing, ownID, ""},
		"an answer of a web server":       {data, []byte("<html>\n\n\n\n"), bareKey, Malformed, ownID, ""},
		"half of one":                     {data, good[:100], bareKey, Malformed, ownID, ""},
		"one with more after it":          {data, append(slices.Clone(good), "more"...), bareKey, Malformed, ownID, ""},
		"a huge one":                      {data, bytes.Repeat(good, 100), bareKey, Malformed, ownID, ""},
		"one by another key":              {data, signed(t, "other.minisig"), bareKey, OtherKey, ownID, otherID},
		"one by another key, renamed":     {data, renamed, bareKey, WrongContent, ownID, ownID},
		"one of another content":          {append(slices.Clone(data), ' '), good, bareKey, WrongContent, ownID, ownID},
		"a legacy one of another content": {data[1:], signed(t, "legacy.minisig"), bareKey, WrongContent, ownID, ownID},
		"another trusted comment":         {data, with(2, "trusted comment: another\n"), bareKey, WrongContent, ownID, ownID},
		"another form's signature":        {data, with(1, legacy[1]), bareKey, WrongContent, ownID, ownID},
		"no key":                          {data, good, "", BadKey, "", ""},
		"half a key":                      {data, good, bareKey[:40], BadKey, "", ""},
		"a key and more":                  {data, good, bareKey + "\n" + bareKey, BadKey, "", ""},
		"a key with something in it":      {data, good, bareKey[:20] + "\r" + bareKey[20:], BadKey, "", ""},
		"a signature as a key":            {data, good, string(good), BadKey, "", ""},
		"a huge key":                      {data, good, strings.Repeat(bareKey, 100), BadKey, "", ""},
	} {
		err := Verify(c.data, c.signature, c.key)
		fault, ok := errors.AsType[*SignatureError](err)
		if !ok {
			t.Errorf("%s was accepted: %v", name, err)
			continue
		}
		if fault.Problem != c.problem || fault.Expected != c.expected || fault.Actual != c.actual {
			t.Errorf("%s: %+v", name, fault)
		}
		if fault.Reason == "" || !strings.Contains(fault.Reason, fault.Expected) || !strings.Contains(fault.Reason, fault.Actual) {
			t.Errorf("%s: %s", name, fault.Reason)
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
	if fault, ok := errors.AsType[*SignatureError](err); !ok || fault.Problem != BadKey || strings.Contains(fault.Reason, "\x1b") {
		t.Error(err)
	}
}
