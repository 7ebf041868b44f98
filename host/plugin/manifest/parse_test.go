package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/internal/property"
)

func TestAManifestIsReadAndWrittenBack(t *testing.T) {
	m, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "forge" || m.Version != "0.3.1" || m.Detect.AnyFile[0] != "foundry.toml" || m.Platforms["windows_amd64"].Bin != "proctor-plugin-forge.exe" {
		t.Errorf("%+v", m)
	}
	if diff := cmp.Diff(text, string(m.Encode())); diff != "" {
		t.Error(diff)
	}
}

func TestFieldsOfALaterFormatArePassedOver(t *testing.T) {
	later := strings.Replace(text, `"tls"`, `"license": {"spdx": ["MIT"]}, "tls"`, 1)
	if _, err := Parse([]byte(later)); err != nil {
		t.Error(err)
	}
}

func TestAManifestThatDoesNotSayWhatItMustIsRefused(t *testing.T) {
	long := strings.Repeat("a", 2100)
	many := func(n int, form string) string {
		var words []string
		for i := range n {
			words = append(words, fmt.Sprintf(form, i+1))
		}
		return strings.Join(words, ",")
	}
	for name, c := range map[string]struct{ old, new, field, reason string }{
		"no schema":            {`"schema": 1,`, ``, "schema", "is missing"},
		"schema nought":        {`"schema": 1`, `"schema": 0`, "schema", "1 or more"},
		"no name":              {`"name": "forge",`, ``, "name", "is missing"},
		"a path for a name":    {`"name": "forge"`, `"name": "../forge"`, "name", "lower-case"},
		"a name in capitals":   {`"name": "forge"`, `"name": "Forge"`, "name", "lower-case"},
		"a long name":          {`"name": "forge"`, `"name": "` + long + `"`, "name", "lower-case"},
		"no version":           {`"version": "0.3.1",`, ``, "version", "is missing"},
		"a version with a v":   {`"0.3.1"`, `"v0.3.1"`, "version", "semantic version"},
		"a path for a version": {`"0.3.1"`, `"0.3.1-../x"`, "version", "semantic version"},
		"no protocols":         {`"protocols": [` + "\n    1,\n    2\n  ],", ``, "protocols", "at least one protocol"},
		"empty protocols":      {"1,\n    2", ``, "protocols", "at least one protocol"},
		"protocol nought":      {"1,\n    2", `0`, "protocols", "1 or more"},
		"a protocol twice":     {"1,\n    2", `1, 1`, "protocols", "has 1 twice"},
		"many protocols":       {"1,\n    2", many(17, "%d"), "protocols", "has 17 protocols"},
		"a protocol as text":   {"1,\n    2", `"1"`, "protocols.0", "whole number"},
		"a long source":        {`https://example.org`, long, "source", "has 21"},
		"a line end in a text": {`& more`, `\n`, "summary", "control characters"},
		"an escape in a text":  {`& more`, `\u001b[2J`, "summary", "control characters"},
		"a long summary":       {`& more`, long, "summary", "the limit is 500"},
		"a path to detect":     {`"foundry.toml"`, `"../foundry.toml"`, "detect.any_file", "without directories"},
		"a pattern to detect":  {`"foundry.toml"`, `"*.toml"`, "detect.any_file", "patterns"},
		"a drive to detect":    {`"foundry.toml"`, `"C:x"`, "detect.any_file", "without directories"},
		"dots to detect":       {`"foundry.toml"`, `".."`, "detect.any_file", "without directories"},
		"nothing to detect":    {`"foundry.toml"`, `""`, "detect.any_file", "names of files"},
		"a file twice":         {`"foundry.toml"`, `"a", "a"`, "detect.any_file", "twice"},
		"many files":           {`"foundry.toml"`, many(65, `"f%d"`), "detect.any_file", "has 65 names"},
		"no platforms":         {`"platforms"`, `"plateforms"`, "platforms", "at least one platform"},
		"no such platform":     {`"linux_amd64"`, `"linux/amd64"`, "platforms", "linux_amd64"},
		"many platforms":       {`"linux_amd64": {`, many(64, `"linux_a%d": {"bin": "b", "sha256": "c"}`) + `, "linux_amd64": {`, "platforms", "has 66 platforms"},
		"another binary":       {`"proctor-plugin-forge"`, `"proctor-plugin-go"`, "platforms.linux_amd64.bin", "must be proctor-plugin-forge,"},
		"a path for a binary":  {`"proctor-plugin-forge"`, `"bin/proctor-plugin-forge"`, "platforms.linux_amd64.bin", "must be proctor-plugin-forge"},
		"no .exe for Windows":  {`forge.exe`, `forge`, "platforms.windows_amd64.bin", "must be proctor-plugin-forge.exe"},
		"no hash":              {`"sha256": "` + hash + `"`, `"x": 0`, "platforms.linux_amd64.sha256", "is missing"},
		"SHA256 for sha256":    {`"sha256"`, `"SHA256"`, "platforms.linux_amd64.SHA256", "must be written sha256"},
		"a hash in capitals":   {hash, strings.ToUpper(hash), "platforms.linux_amd64.sha256", "lower-case hexadecimal"},
		"half a hash":          {hash, hash[:32], "platforms.linux_amd64.sha256", "64 lower-case"},
		"a hash twice":         {`"sha256"`, `"sha256": "` + hash + `", "sha256"`, "platforms.linux_amd64.sha256", "twice"},
		"another TLS":          {`"auto"`, `"always"`, "tls", `"auto" or "none"`},
		"something behind":     {"\"auto\"\n}\n", "\"auto\"\n}\nx", "", "is not JSON"},
		"more than it may be":  {"\"auto\"\n}\n", "\"auto\"\n}\n" + strings.Repeat(" ", MaxSize), "", "more than 65536 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(text, c.old, c.new, 1)
			if changed == text {
				t.Fatal("the case changes nothing")
			}
			m, err := Parse([]byte(changed))
			fault, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("%+v, %v", m, err)
			}
			if fault.Field != c.field || !strings.Contains(fault.Reason, c.reason) {
				t.Errorf("%q: %q", fault.Field, fault.Reason)
			}
			if message := fault.Error(); len(message) > 500 || strings.ContainsAny(message, "\x1b\n") {
				t.Errorf("the message is %q", message)
			}
		})
	}
}

func TestAnotherSchemaIsReportedBeforeAnythingElse(t *testing.T) {
	_, err := Parse([]byte(`{"platforms": ["linux"], "name": 7, "schema": 2}`))
	if schema, ok := errors.AsType[*SchemaError](err); !ok || schema.Schema != 2 || schema.Own != 1 {
		t.Fatal(err)
	}
	if !strings.HasSuffix(err.Error(), "upgrade proctor") {
		t.Error(err)
	}
}

func TestWhatIsWrittenIsReadAsItWas(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		m := manifests().Draw(t, "manifest")
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		back, err := Parse(m.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		text, `{}`, `{"schema": 2}`, strings.Replace(text, "schema", "Schema", 1),
		strings.Replace(text, `"sha256"`, `"sha256": "x", "SHA256"`, 1), `[[[[`, "\xff", text[:200],
		strings.Replace(text, "forge", `\ud800`, 1),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			_, own := errors.AsType[*Error](err)
			_, schema := errors.AsType[*SchemaError](err)
			if !own && !schema {
				t.Fatalf("the error is a %T", err)
			}
			return
		}
		// A less strict reader must not read something else.
		var other Manifest
		if err := json.Unmarshal(data, &other); err != nil {
			t.Fatal(err)
		}
		back, err := Parse(m.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, other, cmpopts.EquateEmpty()) + cmp.Diff(m, back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
