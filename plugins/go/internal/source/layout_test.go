package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

func TestLayoutFindsTheDirectoryOfAnImportPath(t *testing.T) {
	for _, test := range []struct {
		name       string
		files      map[string]string
		env        map[string]string
		importPath string
		want       string // relative to the root, or "" if unknown
	}{
		{"root package", map[string]string{"go.mod": "module example.com/m"}, nil, "example.com/m", "."},
		{"sub package", map[string]string{"go.mod": "module example.com/m\n"}, nil, "example.com/m/a/b", "a/b"},
		{"other module with the same prefix", map[string]string{"go.mod": "module example.com/m\n"}, nil, "example.com/more", ""},
		{"quoted, commented", map[string]string{"go.mod": "// x\nmodule \"example.com/m\" // y\n"}, nil, "example.com/m/a", "a"},
		{"block", map[string]string{"go.mod": "module (\n\texample.com/m\n)\n"}, nil, "example.com/m/a", "a"},
		{"workspace, longest module wins", map[string]string{
			"go.work": "go 1.24\nuse (\n\t.\n\t./x\n)\n", "go.mod": "module example.com/m\n", "x/go.mod": "module example.com/m/sub\n",
		}, nil, "example.com/m/sub/p", "x/p"},
		{"workspace off", map[string]string{
			"go.work": "use ./x\n", "go.mod": "module example.com/m\n", "x/go.mod": "module example.com/x\n",
		}, map[string]string{"GOWORK": "off"}, "example.com/x", ""},
		{"module that the workspace does not use", map[string]string{
			"go.work": "use ./x\n", "go.mod": "module example.com/m\n", "x/go.mod": "module example.com/x\n",
		}, nil, "example.com/m", ""},
		{"replaced by a directory", map[string]string{
			"go.mod": "module example.com/m\nreplace example.com/r v1.0.0 => ./r\n", "r/go.mod": "module example.com/r\n",
		}, nil, "example.com/r/p", "r/p"},
		{"replaced by another version", map[string]string{
			"go.mod": "module example.com/m\nreplace example.com/r => example.com/s v1.0.0\n",
		}, nil, "example.com/r", ""},
		{"standard library", map[string]string{"go.mod": "module std\n"}, nil, "net/http", "net/http"},
		{"outside of the standard library", map[string]string{"go.mod": "module std\n"}, nil, "example.com/x", ""},
		{"no module", nil, nil, "example.com/x", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := tempRoot(t)
			testfiles.WriteAll(t, root, test.files)
			layout, err := source.ReadLayout(root, test.env)
			if err != nil {
				t.Fatal(err)
			}
			dir, known := layout.Dir(test.importPath)
			if known != (test.want != "") {
				t.Fatalf("known is %v (%s)", known, dir)
			}
			if known && dir != filepath.Join(root, test.want) {
				t.Errorf("directory is %s, want %s below %s", dir, test.want, root)
			}
		})
	}
}

func TestLayoutHasTheModulesInEffect(t *testing.T) {
	root := tempRoot(t)
	testfiles.WriteAll(t, root, map[string]string{
		"go.work":  "go 1.24\ntoolchain go1.25.1\nuse ./a\nuse ../outside\nuse ./missing\n",
		"go.mod":   "module example.com/root\ngo 1.20\n",
		"a/go.mod": "module example.com/a\ngo 1.22\n",
	})
	layout, err := source.ReadLayout(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]source.Module{{Path: "example.com/a", Dir: filepath.Join(root, "a")}}, layout.Main); diff != "" {
		t.Errorf("modules differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1.24", "go1.25.1", "1.22"}, layout.Requires); diff != "" {
		t.Errorf("required versions differ (-want +got):\n%s", diff)
	}
	if !layout.Uses(filepath.Join(root, "a")) || layout.Uses(root) {
		t.Error("the workspace must use a and not its root")
	}
}

func TestLayoutFollowsAWorkspaceAbove(t *testing.T) {
	root := tempRoot(t)
	testfiles.WriteAll(t, root, map[string]string{"go.work": "use ./a\n", "a/go.mod": "module example.com/a\n"})
	layout, err := source.ReadLayout(filepath.Join(root, "a"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(root, "go.work"); layout.WorkFile != want {
		t.Errorf("go.work is %q, want %q", layout.WorkFile, want)
	}
}

func TestLayoutResolvesSymbolicLinks(t *testing.T) {
	root := tempRoot(t)
	testfiles.WriteAll(t, root, map[string]string{"real/go.mod": "module example.com/m\n"})
	if err := os.Symlink(filepath.Join(root, "real"), filepath.Join(root, "link")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	layout, err := source.ReadLayout(filepath.Join(root, "link"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if dir, _ := layout.Dir("example.com/m/p"); dir != filepath.Join(root, "real", "p") {
		t.Errorf("directory is %s", dir)
	}
}

func tempRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return root
}
