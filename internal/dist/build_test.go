package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testfiles"
)

// repository makes a worktree of a small module with a command, and an edit that is not
// committed. In a worktree itself the go command stamps nothing.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	main, worktree := filepath.Join(dir, "main"), filepath.Join(dir, "worktree")
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.25\n", "cmd/proctor/main.go": "package main\n\nfunc main() { println(\"committed\") }\n",
	} {
		path := filepath.Join(main, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testfiles.Write(t, path, text)
	}
	env := []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_DATE=2026-01-02T03:04:06Z"}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "First"}, {"tag", "v1.2.3"}, {"worktree", "add", "-q", worktree, "-b", "other"},
	} {
		if _, err := output(t.Context(), main, env, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	testfiles.Write(t, filepath.Join(worktree, "cmd", "proctor", "edit.go"), "package main\n\nfunc init() { println(\"edited\") }\n")
	return worktree
}

func TestAReleaseIsOfTheCommitAndTheSameTwice(t *testing.T) {
	dir := repository(t)
	t.Setenv("GOFLAGS", "-buildvcs=false -gcflags=-N") // as on some machine
	p := platform{runtime.GOOS, runtime.GOARCH}
	var made [2]program
	for i := range made {
		source, err := checkOut(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer source.remove()
		if !source.uncommitted {
			t.Error("the edit is not seen")
		}
		programs, err := build(t.Context(), source, p)
		if err != nil || len(programs) != 1 {
			t.Fatal(err)
		}
		s, err := readStamp(programs, source.commit)
		if err != nil || s.version != "v1.2.3" || !s.time.Equal(released) || s.commit != source.commit {
			t.Errorf("%+v, %v", s, err)
		}
		if _, err := readStamp(programs, "another"); err == nil {
			t.Error("a stamp of another commit is taken")
		}
		made[i] = programs[0]
	}
	if !bytes.Equal(made[0].data, made[1].data) {
		t.Error("two builds of a commit differ")
	}
	path := filepath.Join(t.TempDir(), "built"+p.suffix())
	if err := os.WriteFile(path, made[0].data, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := output(t.Context(), ".", nil, path); err != nil {
		t.Fatal(err)
	}
	root, err := output(t.Context(), ".", nil, "go", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	for _, ours := range []string{dir, root, "edited"} {
		if bytes.Contains(made[0].data, []byte(ours)) {
			t.Errorf("%q is in the program", ours)
		}
	}
}

func TestAReleaseThatCannotSayWhatItIsIsRefused(t *testing.T) {
	dir := repository(t)
	path := filepath.Join(t.TempDir(), "proctor")
	if _, err := output(t.Context(), dir, []string{"GOFLAGS=-buildvcs=true"}, "go", "build", "-o", path, "./cmd/proctor"); err != nil {
		t.Fatal(err)
	}
	programs, err := readPrograms(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readStamp(programs, "0123"); err == nil || !strings.Contains(err.Error(), `commit ""`) {
		t.Errorf("a build in a worktree is taken: %v", err)
	}
}

func TestAProgramThatHasGrownMuchIsRefused(t *testing.T) {
	grown := []program{{name: "proctor", data: make([]byte, programBudget+1)}}
	if err := checkSizes(grown); err == nil || !strings.Contains(err.Error(), "docs/releasing.md") {
		t.Error(err)
	}
	grown[0].data = grown[0].data[1:]
	if err := checkSizes(grown); err != nil {
		t.Error(err)
	}
}

func TestLicensesAreKnownByTheirSentences(t *testing.T) {
	for text, want := range map[string]string{
		"MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining\na copy of this software and": "MIT",
		"                                 Apache License\n                           Version 2.0, January 2004\n":           "Apache-2.0",
		"Redistribution and use in source and binary forms, with or without modification":                                   "BSD-2-Clause",
		"Redistribution and use in source and binary forms\nmay be used to endorse or\npromote products":                    "BSD-3-Clause",
		"All rights reserved.": "",
	} {
		if got := classify(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	dir := t.TempDir()
	testfiles.Write(t, filepath.Join(dir, "LICENSE"), "All rights reserved.")
	if _, err := readLicense("example.com/m", "v1.0.0", dir); err == nil || !strings.Contains(err.Error(), "example.com/m v1.0.0") {
		t.Error(err)
	}
}
