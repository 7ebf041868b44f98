package index

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

func TestAnIndexIsReadAndWrittenBack(t *testing.T) {
	text := signed(t, File)
	x, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	a := x.Plugins["forge"].Versions["0.3.1"].Files["linux_amd64"]
	if want := (Archive{URL: "forge/0.3.1/proctor-plugin-forge_0.3.1_linux_amd64.tar.gz", SHA256: ones, BinSHA256: twos}); a != want {
		t.Errorf("%+v", a)
	}
	if diff := cmp.Diff(string(text), string(x.Encode())); diff != "" {
		t.Error(diff)
	}
	if empty, err := Parse(Index{}.Encode()); err != nil || len(empty.Plugins) != 0 {
		t.Errorf("an empty index: %+v, %v", empty, err)
	}
}

func TestAnIndexThatIsWrongInOnePlaceIsRefused(t *testing.T) {
	text := string(signed(t, File))
	const version = `plugins.forge.versions."0.3.1"`
	const file = version + ".files.linux_amd64"
	url := "forge/0.3.1/proctor-plugin-forge_0.3.1_linux_amd64.tar.gz"
	for name, c := range map[string]struct{ old, new, field, reason string }{
		"no schema":                  {`"schema": 1,`, ``, "schema", "is missing"},
		"an invalid name":            {`"forge"`, `"../forge"`, `plugins."../forge"`, "lower-case"},
		"a plugin twice":             {`"forge": {`, `"forge": {}, "forge": {`, "plugins.forge", "twice"},
		"no versions":                {`"versions"`, `"version"`, "plugins.forge.versions", "one version"},
		"versions in capitals":       {`"versions"`, `"Versions"`, "plugins.forge.Versions", "must be written versions"},
		"an invalid version":         {`"0.3.1"`, `"latest"`, "plugins.forge.versions.latest", "semantic version"},
		"a version that is a path":   {`"0.3.1"`, `"../0.3.1"`, `plugins.forge.versions."../0.3.1"`, "semantic version"},
		"no protocols":               {`"protocols"`, `"x"`, version + ".protocols", "one protocol"},
		"protocol 0":                 {"            1\n", "0", version + ".protocols", "1 or more"},
		"an escape in a summary":     {`"files"`, `"summary": "\u001b[2J", "files"`, version + ".summary", "control characters"},
		"no files":                   {`"files"`, `"x"`, version + ".files", "one platform"},
		"an invalid platform":        {`"linux_amd64"`, `"linux"`, version + ".files", "linux_amd64"},
		"no address":                 {`"url"`, `"x"`, file + ".url", "is missing"},
		"no hash":                    {`"sha256"`, `"x"`, file + ".sha256", "is missing"},
		"no hash of the binary":      {`"bin_sha256"`, `"x"`, file + ".bin_sha256", "is missing"},
		"a hash in capitals":         {ones, strings.Repeat("A", 64), file + ".sha256", "lower-case"},
		"half a hash":                {twos, twos[:10], file + ".bin_sha256", "lower-case"},
		"an address twice":           {`"linux_amd64": {`, `"darwin_arm64": {"url": "` + url + `", "sha256": "` + twos + `", "bin_sha256": "` + twos + `"}, "linux_amd64": {`, file + ".url", "another hash"},
		"a long address":             {url, strings.Repeat("a", 1025), file + ".url", "the limit is 1024"},
		"an address above":           {url, "../" + url, file + ".url", "below the index"},
		"an address above, later":    {url, "a/../../b", file + ".url", "below the index"},
		"an absolute address":        {url, "/" + url, file + ".url", "below the index"},
		"an address elsewhere":       {url, "//example.org/" + url, file + ".url", "below the index"},
		"an address with a scheme":   {url, "https://example.org/x", file + ".url", "below the index"},
		"a scheme without slashes":   {url, "file:x", file + ".url", "below the index"},
		"an address with a query":    {url, "a?b", file + ".url", "below the index"},
		"an address with a fragment": {url, "a#b", file + ".url", "below the index"},
		"an escaped address":         {url, "%2e%2e/a", file + ".url", "below the index"},
		"backslashes":                {url, `a\\..\\b`, file + ".url", "below the index"},
		"control characters":         {url, `a\u0000b`, file + ".url", "below the index"},
		"a line end":                 {url, `a\n`, file + ".url", "below the index"},
		"a dot":                      {url, `a/./b`, file + ".url", "below the index"},
		"a dot at the end":           {url, `a.`, file + ".url", "below the index"},
		"a directory":                {url, `a/`, file + ".url", "below the index"},
		"a hidden file":              {url, `.git/config`, file + ".url", "below the index"},
		"something after it":         {"}\n}\n", "}\n}\n{}", "", "is not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(text, c.old, c.new, 1)
			if c.old == "}\n}\n" {
				changed = strings.TrimSuffix(text, "\n") + "{}"
			}
			if changed == text {
				t.Fatal("the case changes nothing")
			}
			x, err := Parse([]byte(changed))
			fault, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("%+v, %v", x, err)
			}
			if fault.Field != c.field || !strings.Contains(fault.Reason, c.reason) {
				t.Errorf("%s: %s", fault.Field, fault.Reason)
			}
			if message := err.Error(); len(message) > 500 || strings.ContainsAny(message, "\x1b\n\x00") {
				t.Errorf("the message is too long or not fit for a terminal: %q", message)
			}
		})
	}
}

func TestAnotherSchemaNeedsAnotherProctor(t *testing.T) {
	_, err := Parse([]byte(`{"plugins": [], "schema": 2}`))
	if schema, ok := errors.AsType[*manifest.SchemaError](err); !ok || schema.Document != File {
		t.Error(err)
	}
}

func TestRewritingAnIndexLosesNothing(t *testing.T) {
	later := strings.Replace(string(signed(t, File)), `"url"`, `"size": 7, "url"`, 1)
	if _, err := Parse([]byte(later)); err != nil {
		t.Errorf("read without writing: %v", err)
	}
	_, err := ParseToWrite([]byte(later))
	if fault, ok := errors.AsType[*Error](err); !ok || !strings.HasSuffix(fault.Field, "linux_amd64.size") || !strings.Contains(fault.Reason, "upgrade proctor") {
		t.Error(err)
	}
	if _, err := ParseToWrite(signed(t, File)); err != nil {
		t.Error(err)
	}
}

func TestWhatIsWrittenIsReadAsItWas(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		x := indexes().Draw(t, "index")
		back, err := Parse(x.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(x, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{string(signed(f, File)), `{"schema": 1}`, `{"schema": 2}`, `{"schema": 1, "plugins": {"a": {}}}`, "[", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Parse(data)
		if err != nil {
			_, own := errors.AsType[*Error](err)
			_, schema := errors.AsType[*manifest.SchemaError](err)
			if !own && !schema {
				t.Fatalf("the error is a %T", err)
			}
			return
		}
		// A less strict reader must not read something else.
		var loose Index
		if err := json.Unmarshal(data, &loose); err != nil {
			t.Fatal(err)
		}
		back, err := Parse(x.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(x, loose, cmpopts.EquateEmpty()) + cmp.Diff(x, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
