package gotest_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

// formatOutlines returns the units of files as "kind:name", by file.
func formatOutlines(t *testing.T, ws sdk.Workspace, names ...string) map[string]string {
	t.Helper()
	var got plugintest.Outlines
	if err := newDetector(t).Outline(t.Context(), sdk.OutlineRequest{Workspace: ws, Files: names}, &got); err != nil {
		t.Fatal(err)
	}
	kinds := map[sdk.UnitKind]string{sdk.UnitDeclaration: "", sdk.UnitName: "name:", sdk.UnitBody: "body:", sdk.UnitTest: "test:"}
	units := map[string]string{}
	for _, file := range got.Files {
		var texts []string
		for _, unit := range file.Units {
			texts = append(texts, kinds[unit.Kind]+unit.Name)
		}
		units[file.File] = strings.Join(texts, " ")
	}
	return units
}

func TestOutlineReportsTheFilesThatItCanRead(t *testing.T) {
	ws := newWorkspace(t, files{
		"a.go": "package a\nfunc F() { x() }\n", "b.go": "package a\nfunc {\n", "c.txt": "package c\n", "sub/d.go": "package d\n", "e.go/x": "",
	})
	absolute := filepath.ToSlash(filepath.Join(ws.Root, "sub", "d.go"))
	want := map[string]string{"a.go": "package name:F body:F", "sub/d.go": "package", absolute: "package"}
	if diff := cmp.Diff(want, formatOutlines(t, ws, "a.go", "b.go", "c.txt", "sub/d.go", absolute, "e.go", "gone.go")); diff != "" {
		t.Errorf("outlines differ (-want +got):\n%s", diff)
	}
}

func TestOutlineKnowsWhichTestsOtherFilesUse(t *testing.T) {
	ws := newWorkspace(t, files{
		"a/a_test.go":         "package a\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\nfunc TestC(t *testing.T) { TestC(t) }\n",
		"a/b_test.go":         "package a_test\nfunc TestOther(t *testing.T) { t.Run(\"b\", a.TestB) }\n",
		"other/a_test.go":     "package other\nfunc TestB(t *testing.T) {}\n",
		"unread/a_test.go":    "package unread\nfunc TestA(t *testing.T) {}\n",
		"unread/b_test.go/no": "",
		"unread/c_test.go":    strings.Repeat(" ", 17<<20),
	})
	want := map[string]string{
		"a/a_test.go": "package test:TestA TestB TestC", "a/b_test.go": "package test:TestOther",
		"other/a_test.go": "package test:TestB", "unread/a_test.go": "package TestA",
	}
	if diff := cmp.Diff(want, formatOutlines(t, ws, "a/a_test.go", "a/b_test.go", "other/a_test.go", "unread/a_test.go", "unread/c_test.go")); diff != "" {
		t.Errorf("outlines differ (-want +got):\n%s", diff)
	}
}

func TestOutlineEndsWithItsContext(t *testing.T) {
	ws := newWorkspace(t, files{"a.go": "package a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var got plugintest.Outlines
	err := newDetector(t).Outline(ctx, sdk.OutlineRequest{Workspace: ws, Files: []string{"a.go"}}, &got)
	if !errors.Is(err, context.Canceled) || len(got.Files) > 0 {
		t.Errorf("%v, %v", err, got.Files)
	}
}

func TestNothingOutsideAnUploadIsOutlined(t *testing.T) {
	outside := newWorkspace(t, files{"a.go": "package a\n"})
	ws := newWorkspace(t, files{"b.go": "package b\n"})
	ws.Env["GO_UPLOAD"] = "1"
	got := formatOutlines(t, ws, "b.go", filepath.ToSlash(filepath.Join(outside.Root, "a.go")))
	if diff := cmp.Diff(map[string]string{"b.go": "package"}, got); diff != "" {
		t.Errorf("outlines differ (-want +got):\n%s", diff)
	}
}
