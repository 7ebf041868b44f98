package lock

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/internal/property"
)

func TestALockFileIsReadAndWrittenBack(t *testing.T) {
	f, err := parse(ProjectFile, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(f.Encode())); diff != "" {
		t.Error(diff)
	}
	if f.Plugins["tap"].ModuleSum != sum || f.Plugins["forge"].Constraint != "~> 0.3" {
		t.Errorf("%+v", f)
	}
}

func TestOnlyAHashThatCanBeCheckedCounts(t *testing.T) {
	f, err := parse(ProjectFile, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	forge := f.Plugins["forge"]
	if hash, ok := forge.Bin("linux_amd64"); !ok || hash != Hash(other) {
		t.Errorf("%q, %v", hash, ok)
	}
	for _, p := range []manifest.Platform{"darwin_arm64", "windows_amd64", ""} {
		if hash, ok := forge.Bin(p); ok || hash != "" {
			t.Errorf("%s has the hash %q", p, hash)
		}
	}
	if hash, ok := f.Plugins["tap"].Bin("linux_amd64"); ok {
		t.Errorf("a module has the hash %q", hash)
	}
}

func TestALockFileThatDoesNotSayWhatItMustIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		line     int
		reason   string
	}{
		"no schema":                    {`"schema": 1,`, ``, 1, "schema is missing"},
		"a comma too many":             {`h1:`, "h1:\",\n\"", 26, "is not JSON"},
		"half a file":                  {text[300:], ``, 9, "is not JSON"},
		"an empty file":                {text, ``, 1, "is empty"},
		"a plugin twice":               {`"tap"`, `"forge"`, 21, "plugins.forge appears twice"},
		"an invalid name":              {`"tap"`, `"../tap"`, 21, "must be lower-case letters"},
		"an invalid version":           {`"1.2.3"`, `"latest"`, 22, "plugins.tap.version must be a semantic version"},
		"no version":                   {`"version": "1.2.3",`, ``, 21, "plugins.tap.version is missing"},
		"an invalid constraint":        {`"~> 0.3"`, `"latest"`, 7, "plugins.forge.constraint is invalid"},
		"no source":                    {`"source": "go:example.com/tap/cmd/proctor-plugin-tap",`, ``, 21, "plugins.tap.source is missing"},
		"an escape in a source":        {`go:example`, `\u001b[2J`, 23, "control characters"},
		"half a signer":                {key, key[:20], 9, "plugins.forge.signer must be"},
		"a signer without a scheme":    {"minisign:" + key, key, 9, "plugins.forge.signer must be"},
		"half a module sum":            {sum, sum[:20], 24, "plugins.tap.module_sum must be"},
		"a hash in capitals":           {other, strings.ToUpper(other), 17, "plugins.forge.hashes.linux_amd64.bin must be"},
		"half a hash":                  {digits, digits[:20], 16, "plugins.forge.hashes.linux_amd64.archive must be"},
		"a hash without a scheme":      {"sha256:" + other, other, 17, "plugins.forge.hashes.linux_amd64.bin must be"},
		"a hash with another's name":   {`"bin": "sha256:`, `"Bin": "sha256:`, 17, "must be written bin"},
		"no hash":                      {"\"sha256:" + digits + "\",\n          \"bin\": ", ``, 15, "plugins.forge.hashes.linux_amd64.bin is missing"},
		"an invalid platform":          {`"linux_amd64"`, `"linux"`, 10, "plugins.forge.hashes has \"linux\""},
		"plugins that are none":        {`"plugins": {`, `"plugins": 1, "x": {`, 4, "must be an object"},
		"a comment for the terminal":   {`Maintained`, `\u001b[2J`, 3, "comment has control characters"},
		"more than a lock file may be": {"  }\n}\n", "  }\n}\n" + strings.Repeat(" ", maxSize), 1, "more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(text, c.old, c.new, 1)
			if changed == text {
				t.Fatal("the case changes nothing")
			}
			f, err := parse("a/proctor.lock", []byte(changed))
			fault, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("%+v, %v", f, err)
			}
			if fault.Line != c.line || !strings.Contains(fault.Reason, c.reason) || fault.Path != "a/proctor.lock" {
				t.Errorf("%v", err)
			}
			if message := err.Error(); len(message) > 500 || strings.ContainsAny(message, "\x1b\n") {
				t.Errorf("the message is %q", message)
			}
		})
	}
}

func TestAnotherSchemaNeedsAnotherProctor(t *testing.T) {
	_, err := parse("a/proctor.lock", []byte(`{"plugins": [], "schema": 2}`))
	if schema, ok := errors.AsType[*manifest.SchemaError](err); !ok || schema.Document != "a/proctor.lock" || schema.Schema != 2 {
		t.Error(err)
	}
}

func TestConflictMarkersAreRecognized(t *testing.T) {
	for _, at := range []string{"    \"forge\"", "  }\n}\n", "{\n  \"schema\""} {
		marked := strings.Replace(text, at, "<<<<<<< HEAD\n=======\n>>>>>>> topic\n"+at, 1)
		_, err := parse(ProjectFile, []byte(marked))
		fault, ok := errors.AsType[*Error](err)
		if want := 1 + strings.Count(text[:strings.Index(text, at)], "\n"); !ok || fault.Line != want || !strings.Contains(fault.Reason, "conflict markers of git") {
			t.Errorf("line %d: %v", want, err)
		}
	}
	if _, err := parse(ProjectFile, []byte(strings.Replace(text, "go:example.com", "<<<<<<< HEAD", 1))); err != nil {
		t.Errorf("a text like a marker: %v", err)
	}
}

func TestWhatIsWrittenIsReadAsItWas(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		f := files().Draw(t, "file")
		back, err := parse(ProjectFile, f.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{text, `{"schema": 1}`, `{"schema": 2}`, text[:400], "<<<<<<< a\n", `{"schema": 1, "Plugins": {}}`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(ProjectFile, data)
		if err != nil {
			_, own := errors.AsType[*Error](err)
			_, schema := errors.AsType[*manifest.SchemaError](err)
			if !own && !schema {
				t.Fatalf("the error is a %T", err)
			}
			return
		}
		// A less strict reader must not read something else.
		var loose File
		if err := json.Unmarshal(data, &loose); err != nil {
			t.Fatal(err)
		}
		back, err := parse(ProjectFile, file.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(file, loose.normal(), cmpopts.EquateEmpty()) + cmp.Diff(file, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if written, err := mergeFile(ProjectFile, data, file); err != nil {
			t.Fatal(err)
		} else if again, err := mergeFile(ProjectFile, written, file); err != nil || string(again) != string(written) {
			t.Fatalf("%s\n%s\n%v", written, again, err)
		}
	})
}
