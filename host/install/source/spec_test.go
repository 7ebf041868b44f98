package source

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpecificationsMeanWhatTheySay(t *testing.T) {
	for text, want := range map[string]Spec{
		".":                        {Kind: Local, Address: "."},
		"./dir":                    {Kind: Local, Address: "./dir"},
		"../x.tar.gz":              {Kind: Local, Address: "../x.tar.gz"},
		"/a b/c":                   {Kind: Local, Address: "/a b/c"},
		"./x.tar.gz@~> 1.0":        {Kind: Local, Address: "./x.tar.gz", Constraint: "~> 1.0"},
		"./user@host/x.tar.gz":     {Kind: Local, Address: "./user@host/x.tar.gz"},
		"./x@v2-linux.tar.gz":      {Kind: Local, Address: "./x@v2-linux.tar.gz"},
		"./x@1.0/":                 {Kind: Local, Address: "./x@1.0/"},
		"./x@1.0":                  {Kind: Local, Address: "./x", Constraint: "1.0"},
		"./x@y@>= 1, < 2":          {Kind: Local, Address: "./x@y", Constraint: ">= 1, < 2"},
		"./a://b":                  {Kind: Local, Address: "./a://b"},
		"forge":                    {Kind: Named, Address: "forge", Name: "forge"},
		"forge@0.3.1":              {Kind: Named, Address: "forge", Name: "forge", Constraint: "0.3.1"},
		"forge@latest":             {Kind: Named, Address: "forge", Name: "forge"},
		"https://H.example/i.json": {Kind: Index, Address: "https://h.example/i.json"},
		"HTTPS://h:443/a/../i#tap": {Kind: Index, Address: "https://h/i", Name: "tap"},
		"https://h/i.json#tap@1.2": {Kind: Index, Address: "https://h/i.json", Name: "tap", Constraint: "1.2"},
		"https://h/i.json@~> 1":    {Kind: Index, Address: "https://h/i.json", Constraint: "~> 1"},
		"https://h/@org/i.json@1":  {Kind: Index, Address: "https://h/@org/i.json", Constraint: "1"},
		"https://h/@org/i.json":    {Kind: Index, Address: "https://h/@org/i.json"},
		"http://127.0.0.1:80/i":    {Kind: Index, Address: "http://127.0.0.1/i"},
		"http://[::1]:8080/i":      {Kind: Index, Address: "http://[::1]:8080/i"},
		"file:///m/index.json":     {Kind: Index, Address: "file:///m/index.json"},
		"file://localhost/m/i":     {Kind: Index, Address: "file:///m/i"},
		"go:example.com/m/cmd/proctor-plugin-tap@v1.2.3": {Kind: GoModule, Address: "example.com/m/cmd/proctor-plugin-tap", Name: "tap", Constraint: "v1.2.3"},
		"go:example.com/proctor-plugin-tap/v2":           {Kind: GoModule, Address: "example.com/proctor-plugin-tap/v2", Name: "tap"},
		"go:example.com/m@latest":                        {Kind: GoModule, Address: "example.com/m"},
	} {
		got, err := parse(text, false)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: error %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestWindowsPathsArePathsOnlyOnWindows(t *testing.T) {
	for _, text := range []string{`C:\plugins\tap`, `c:/plugins/x.zip`, `.\tap`, `..\tap`, `\\server\share\tap`} {
		if got, err := parse(text+"@1.0", true); err != nil || got != (Spec{Kind: Local, Address: text, Constraint: "1.0"}) {
			t.Errorf("%q: %+v %v", text, got, err)
		}
		if _, err := parse(text, false); strings.HasPrefix(text, `C:\`) && err == nil {
			t.Errorf("%q is a path on Unix, too", text)
		}
	}
	if got := fileOf("/C:/m/index.json", true); !strings.HasPrefix(got, "C:") {
		t.Errorf("a file:// address with a drive is %q", got)
	}
}

func TestWhatNamesNoPluginIsRefusedWithAHint(t *testing.T) {
	for text, hint := range map[string]string{
		"":                              "empty",
		"dist/x.tar.gz":                 "./dist/x.tar.gz",
		"x.tar.gz":                      "./x.tar.gz",
		"Forge":                         "lower-case letters",
		"forge@":                        "neither a version",
		"forge@master":                  "neither a version",
		"forge@'>= 1'":                  "quotes are for the shell",
		"./a\x1b[2J":                    "control",
		"./a\u202eb":                    "control",
		"./a\xff":                       "not text",
		"./" + strings.Repeat("a", 1e4): "too long",
		"http://h.example/index.json":   "https://",
		"ftp://h/index.json":            "https://",
		"https:///index.json":           "no host",
		"https://h":                     "index.json",
		"https://h/":                    "index.json",
		"https://h/x.tar.gz":            "downloaded",
		"https://h/i.json#tap@banana":   "not the name of a plugin",
		"https://h/i.json#Tap":          "not the name of a plugin",
		"https://h/i.json?token=s3cr":   "?",
		"file://m/index.json":           "three slashes",
		"go:":                           "Go package",
		"go:fmt":                        "host",
		"go:cmd/go":                     "host",
		"go:-x.com/y":                   "Go package",
		"go:example.com/../y":           "Go package",
		"go:example.com/y z":            "Go package",
		"go:example.com/y@main":         "neither a version",
		"go:h.example/" + strings.Repeat("a/", 40) + "a": "host",
	} {
		_, err := parse(text, false)
		if wrong, ok := errors.AsType[*SpecError](err); !ok || !strings.Contains(wrong.Reason, hint) {
			t.Errorf("%.60q: got %v, want %q", text, err, hint)
		}
		if err != nil && (len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\x1b\u202e")) {
			t.Errorf("%.60q: the error repeats the text: %q", text, err)
		}
	}
}

func TestAbsolutePathsFollowTheRulesOfTheirSystem(t *testing.T) {
	for path, on := range map[string][2]bool{
		"/a/b": {true, true}, `C:\x`: {false, true}, "c:/x": {false, true}, `\\server\x`: {false, true}, `\x`: {},
		"": {}, "a": {}, "./a": {}, "../a": {}, `.\a`: {}, "C:x": {},
	} {
		if unix, windows := isAbsolute(path, false), isAbsolute(path, true); unix != on[0] || windows != on[1] {
			t.Errorf("%q: %v on Unix, %v on Windows", path, unix, windows)
		}
	}
}

func TestLocalSourcesHaveAPath(t *testing.T) {
	for text, want := range map[string]string{
		"./a": "./a", "file:///m/a%20b/index.json#tap": filepath.FromSlash("/m/a b/index.json"), "https://h/index.json": "", "go:example.com/m/cmd/proctor-plugin-x": "", "tap": "",
	} {
		spec, err := Parse(text)
		if got, ok := spec.Path(); err != nil || got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, %v", text, got, ok, err)
		}
	}
}

func TestPasswordsAreRefusedAndNotRepeated(t *testing.T) {
	for _, text := range []string{
		"https://user:s3cret@h/index.json", "https://s3cret@10.0.0.1", "https://s3cret@h/index.json@1.0", "https://u:s3cret/x@h/i.json",
		"https://h/index.json?token=s3cret", "https://s3cret:x@h\x00/", "https://s3cret@%zz/",
	} {
		_, parseErr := Parse(text)
		_, lockErr := FromLock("tap", text, "1.0.0")
		for _, err := range []error{parseErr, lockErr} {
			if _, ok := errors.AsType[*SpecError](err); !ok || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

func TestSourcesOfALockFileRoundTrip(t *testing.T) {
	for source, kind := range map[string]Kind{
		"https://h/index.json": Index, "file:///m/index.json": Index, "go:example.com/m/cmd/proctor-plugin-x": GoModule,
		"local:/a/b@1.0": Local,
	} {
		spec, err := FromLock("tap", source, "1.0.0-rc.1")
		if err != nil || spec.Kind != kind || spec.Name != "tap" || spec.Constraint != "1.0.0-rc.1" || spec.Locked() != source {
			t.Errorf("%q: %+v, locked as %q, %v", source, spec, spec.Locked(), err)
		}
	}
	for _, source := range []string{"", "local:", "forge", "./x", "http://h.example/i", "go:fmt", "local:\x1b", "local:vendor/p", "local:./p", "local:../p", "local:~/p"} {
		if spec, err := FromLock("tap", source, "1.0.0"); err == nil {
			t.Errorf("%q: %+v", source, spec)
		}
	}
	if _, err := FromLock("../x", "local:/a", "1.0.0"); err == nil {
		t.Error("an invalid name is accepted")
	}
	if _, err := FromLock("tap", "local:/a", ""); err == nil {
		t.Error("a lock without version is accepted")
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"./a@1", "https://a@b/c#d@1", "go:a.b/c@v1.0.0", "forge@~> 1", "file:///x%2e%2e/i", "https://u:p/@h/i"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := Parse(text)
		if err != nil {
			return
		}
		if spec.Kind == Index && strings.ContainsAny(spec.Address, "@?#") && strings.Contains(strings.SplitN(spec.Address, "/", 4)[2], "@") {
			t.Fatalf("%q: the address has a user name: %+v", text, spec)
		}
		if spec.Kind == Named {
			return
		}
		if spec.Kind == Local && !isAbsolute(spec.Address, onWindows) {
			spec.Address = "/" + spec.Address // as the caller does
		}
		again, err := FromLock("tap", spec.Locked(), "1.0.0")
		if err != nil || again.Address != spec.Address || again.Kind != spec.Kind {
			t.Fatalf("%q is %+v, and from a lock file %+v, %v", text, spec, again, err)
		}
	})
}
