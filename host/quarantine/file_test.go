package quarantine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

const good = `# ours

# do not
# touch
[[test]]
language = "go"
suite = "s"
test = "B"
reason = "why" # really
expires = 2026-12-31
signature = "0123456789abcdef3aaaaaaaa"

[[test]]
language = "go"
suite = "s"
test = "A/[x] \"q\""
reason = "why"
signature = ["0123456789abcdef3aaaaaaaa", "0123456789abcdef3bbbbbbbb+0123456789abcdef"]
`

func written(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	testfiles.Write(t, filepath.Join(root, FileName), text)
	return root
}

func TestAFileIsReadAndChangedWithItsComments(t *testing.T) {
	root := written(t, good)
	f, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Entries) != 2 || f.Entries[0].Test != "B" || f.Entries[0].Expires != "2026-12-31" || f.Entries[0].Line != 5 || len(f.Entries[1].Signatures) != 2 {
		t.Fatalf("%+v", f.Entries)
	}
	e := Entry{Language: "go", TestID: sdk.TestID{Suite: "r", Test: "C"}, Reason: `it's "odd" \ ü`, Link: "https://example.com", Signatures: []string{"0123456789abcdef3aaaaaaaa"}}
	if err := errors.Join(f.Add(e), f.Write()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# ours

[[test]]
language = "go"
suite = "r"
test = "C"
reason = "it's \"odd\" \\ ü"
link = "https://example.com"
signature = "0123456789abcdef3aaaaaaaa"

[[test]]
language = "go"
suite = "s"
test = "A/[x] \"q\""
reason = "why"
signature = ["0123456789abcdef3aaaaaaaa", "0123456789abcdef3bbbbbbbb+0123456789abcdef"]

# do not
# touch
[[test]]
language = "go"
suite = "s"
test = "B"
reason = "why" # really
expires = 2026-12-31
signature = "0123456789abcdef3aaaaaaaa"
`
	if string(got) != want {
		t.Errorf("%s", got)
	}
	again, err := Load(root)
	if err != nil || len(again.Entries) != 3 || again.Entries[0].Reason != e.Reason {
		t.Errorf("%+v, %v", again, err)
	}
	a, b, other := f.Entries[1], f.Entries[2], e
	b.Reason, other.Language = "new", "solidity"
	if err := errors.Join(again.Add(a), again.Add(b), again.Add(other), again.Write()); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(f.Path); !strings.Contains(string(got), "# do not\n# touch\n[[test]]") || strings.Count(string(got), "[[test]]") != 4 {
		t.Errorf("the comment of a renewed entry is lost: %s", got)
	}
	if renewed, err := Load(root); err != nil || len(renewed.Entries) != 4 || renewed.Entries[2].Expires != b.Expires || !slices.Equal(renewed.Entries[1].Signatures, a.Signatures) {
		t.Errorf("%+v, %v", renewed, err)
	}
	if err := again.Add(Entry{TestID: b.TestID}); err == nil || len(again.Entries) != 4 {
		t.Errorf("an incomplete entry was added: %v", err)
	}
	if !again.Remove(e) || again.Remove(e) {
		t.Error("an entry is removed once")
	}
	again.Remove(a)
	again.Remove(b)
	again.Remove(other)
	if err := again.Write(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(f.Path); string(got) != "# ours\n" {
		t.Errorf("%s", got)
	}
	again.Path = filepath.Join(root, "missing", FileName)
	if again.Write() == nil {
		t.Error("a file that could not be written")
	}
}

func TestWhatIsNoEntryIsRefusedWithItsLine(t *testing.T) {
	const rest = "language = \"go\"\nsuite = \"s\"\ntest = \"B\"\nreason = \"why\"\nsignature = \"0123456789abcdef3aaaaaaaa\"\n"
	change := func(from, to string) string { return "[[test]]\n" + strings.Replace(rest, from, to, 1) }
	for text, says := range map[string]string{
		change(`reason = "why"`, ``):                                              ":1: reason is missing",
		change(`reason = "why"`, `reason = " "`):                                  ":5: reason is not a text",
		change(`reason = "why"`, `reason = "a\nb"`):                               ":5: reason is not a text",
		change(`test = "B"`, `test = ""`):                                         ":4: test is not a text",
		change(`test = "B"`, `tests = "B"`):                                       ":4: tests is unknown",
		change(`test = "B"`, `test = ["B"]`):                                      ":4: test is not a text",
		change(`"0123456789abcdef3aaaaaaaa"`, `"*"`):                              ":6: signature is not the signature",
		change(`"0123456789abcdef3aaaaaaaa"`, `[]`):                               ":6: signature is not the signature",
		change(`"0123456789abcdef3aaaaaaaa"`, `""`):                               ":6: signature is not the signature",
		"[[test]]\n" + rest + "expires = \"never\"\n":                             ":7: expires is not a date",
		change(`reason = "why"`, `reason = "a�"`):                                 ":5: reason is not a text",
		change(`reason = "why"`, `reason = "`+strings.Repeat("a", maxText+1)+`"`): ":5: reason is not a text",
		change(`test = "B"`, `test.x = "B"`):                                      `:4: "test.x" is unknown here`,
		"[[test]]\n" + rest + "[x]\n":                                             `"x" is unknown here`,
		change(`"0123456789abcdef3aaaaaaaa"`, "["+strings.Repeat(`"0123456789abcdef3aaaaaaaa",`, maxSignatures+1)+"]"): ":6: signature is not the signature",
		"[[test]]\n" + rest + "expires = 2026-02-30\n":                                                                 ":7: the text is not valid TOML",
		"[[test]]\n" + rest + "expires = 2026-01-01T00:00:00Z\n":                                                       ":7: expires is not a date",
		"[[test]]\n" + rest + "\n[[test]]\n" + rest:                                                                    `:8: "B" is in quarantine in line 1 already`,
		"[test]\n" + rest:                         `:1: "test" is unknown here`,
		"[[tests]]\n" + rest:                      `:1: "tests" is unknown here`,
		"[[test]]\n" + rest + "[test.x]\na = 1\n": `"test.x" is unknown here`,
		"all = true\n":                            `:1: "all" is unknown here`,
		"test = []\n":                             `:1: "test" is unknown here`,
		strings.Repeat("#\n", 40<<10):             "is larger than 64 KiB",
	} {
		_, err := Load(written(t, text))
		if e, ok := errors.AsType[*api.UsageError](err); !ok || !strings.Contains(e.Error(), FileName+says) && (says[0] == ':' || !strings.Contains(e.Error(), says)) {
			t.Errorf("%s\n%v, want %s", text, err, says)
		}
	}
	root := t.TempDir()
	if err := os.Symlink("/etc/passwd", filepath.Join(root, FileName)); err == nil {
		if _, err := Load(root); err == nil || !strings.Contains(err.Error(), "symbolic link") {
			t.Error(err)
		}
	}
	root = t.TempDir()
	if err := os.Mkdir(filepath.Join(root, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(root); err == nil {
		t.Error("a folder was read")
	}
	if f, err := Load(t.TempDir()); err != nil || len(f.Entries) > 0 {
		t.Error(err)
	}
}

func FuzzAFileGivesEntriesOrAnErrorWithALine(f *testing.F) {
	for _, seed := range []string{good, "[[test]]\na.b = 1", "test = [{language = 'go'}]", "[[test]]\n[[test.x]]", "x = 1\n[[test]]", "# [[test]]\n[[ test ]]\n\"test\" = ''"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var file File
		err := file.decode(data)
		var e *config.Error
		switch {
		case err == nil && len(file.texts) != len(file.Entries):
			t.Errorf("%d texts of %d entries", len(file.texts), len(file.Entries))
		case err == nil:
			for i, entry := range file.Entries {
				if entry.Language == "" || entry.Suite == "" || entry.Test == "" || entry.Reason == "" || len(entry.Signatures) == 0 || slices.ContainsFunc(file.Entries[:i], entry.isOf) {
					t.Errorf("%+v", entry)
				}
			}
		case !errors.As(err, &e) || e.Line < 1 || e.Line > strings.Count(string(data), "\n")+1:
			t.Errorf("%v", err)
		}
	})
}
