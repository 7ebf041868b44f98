package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// Files of an archive: proctor's own license, and those of what is linked.
const (
	licenseFile  = "LICENSE"
	licensesFile = "third-party-licenses.txt"
)

// license is the license of a module.
type license struct {
	module, version string
	// expression is an SPDX license expression.
	expression string
	text       []byte
}

// standardLibrary is the module of Go's own packages, as package URLs name it.
const standardLibrary = "std"

// findLicenses returns the licenses of modules, and of Go's standard library.
func findLicenses(ctx context.Context, source *checkout, modules []*debug.Module, goVersion string) ([]license, error) {
	root, err := output(ctx, source.dir, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	own, err := readLicense(standardLibrary, strings.TrimPrefix(goVersion, "go"), root)
	if err != nil {
		return nil, err
	}
	found := []license{own}
	args := []string{"mod", "download", "-json"}
	for _, m := range modules {
		args = append(args, m.Path+"@"+m.Version)
	}
	listed, err := output(ctx, source.dir, nil, "go", args...)
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(strings.NewReader(listed)); ; {
		var m struct{ Path, Version, Dir string }
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("go mod download: %w", err)
		}
		l, err := readLicense(m.Path, m.Version, m.Dir)
		if err != nil {
			return nil, err
		}
		found = append(found, l)
	}
}

// readLicense reads the license files in a folder of sources.
func readLicense(module, version, dir string) (license, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return license{}, err
	}
	named := regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|copyright)([-_.].*)?$`)
	l := license{module: module, version: version}
	for _, entry := range entries {
		if !named.MatchString(entry.Name()) || !entry.Type().IsRegular() || strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return license{}, err
		}
		l.text = fmt.Appendf(l.text, "-- %s --\n%s\n", entry.Name(), bytes.TrimSpace(text))
	}
	if l.expression = classify(string(l.text)); l.expression == "" {
		return license{}, fmt.Errorf("the license of %s %s is not known: classify knows the common ones by their sentences", module, version)
	}
	return l, nil
}

// classify returns the licenses in a text as an SPDX expression. It recognizes them by
// sentences that nobody changes.
func classify(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	var found []string
	for _, known := range []struct {
		name, sentence string
	}{
		{"Apache-2.0", "Apache License Version 2.0, January 2004"},
		{"BSD-3-Clause", "Redistribution and use in source and binary forms"},
		{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
		{"MPL-2.0", "Mozilla Public License, version 2.0"},
		{"blessing", "The author disclaims copyright to this source code."},
	} {
		if !strings.Contains(text, known.sentence) || slices.Contains(found, known.name) {
			continue
		}
		name := known.name
		if name == "BSD-3-Clause" && !strings.Contains(text, "endorse or promote products") {
			name = "BSD-2-Clause"
		}
		found = append(found, name)
	}
	return strings.Join(found, " AND ")
}

// joinLicenses returns the file of licenses. MPL-2.0 requires it to say where the sources
// are.
func joinLicenses(licenses []license) []byte {
	text := []byte("proctor and its plugins contain these modules. Their sources are at the addresses\nbelow. proctor uses them unchanged.\n")
	for _, l := range licenses {
		source := "https://proxy.golang.org/" + escapeModule(l.module) + "/@v/" + escapeModule(l.version) + ".zip"
		if l.module == standardLibrary {
			source = "https://go.dev/dl/go" + l.version + ".src.tar.gz"
		}
		text = fmt.Appendf(text, "\n%s\n%s %s · %s\n%s\n\n%s", strings.Repeat("=", 80), l.module, l.version, l.expression, source, l.text)
	}
	return text
}

// escapeModule escapes a path or a version for a module proxy.
func escapeModule(text string) string {
	return regexp.MustCompile("[A-Z]").ReplaceAllStringFunc(text, func(c string) string { return "!" + strings.ToLower(c) })
}
