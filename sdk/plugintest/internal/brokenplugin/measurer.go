package brokenplugin

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

var (
	_ sdk.Indexer  = detector{}
	_ sdk.Outliner = detector{}
)

// profile is the file that a covering command writes.
const profile = "profile"

// makeCover makes a command leave coverage.
func makeCover(c sdk.Command) sdk.Command {
	c.Env, c.Covers = map[string]string{"PROFILE": sdk.Scratch + "/" + profile}, true
	return c
}

// coverPlan returns the plan of a run that measures.
func (d detector) coverPlan() sdk.Plan {
	c := sdk.Command{Argv: []string{"runner"}}
	if d.mode != "never-covers" {
		c = makeCover(c)
	}
	if d.mode == "cover-runs-others" {
		c.Targets = []sdk.TestID{{Suite: "other"}}
	}
	return sdk.Plan{Commands: []sdk.Command{c}}
}

// IndexCmd composes one command.
func (d detector) IndexCmd(_ context.Context, req sdk.IndexRequest) (sdk.Plan, error) {
	c := makeCover(sdk.Command{Argv: append([]string{"runner", "alone"}, req.Suites...)})
	if d.mode == "index-without-covers" {
		c.Covers = false
	}
	if d.mode == "prepares-and-covers" {
		c.Prepares = true
	}
	return sdk.Plan{Commands: []sdk.Command{c}}, nil
}

// ParseCoverage parses "TEST FILE" lines after a header.
func (d detector) ParseCoverage(_ context.Context, req sdk.CoverageRequest, sink sdk.CoverageSink) error {
	data, err := os.ReadFile(filepath.Join(req.Scratch, profile))
	switch {
	case err != nil && d.mode == "coverage-fails":
		return err
	case err != nil && d.mode == "coverage-is-silent":
		return nil
	case err != nil:
		sink.Error("there is no profile: " + err.Error())
		return nil
	}
	text, ok := strings.CutPrefix(string(data), "profile\n")
	if !ok && d.mode != "coverage-of-garbage" {
		sink.Error("the profile is damaged")
		return nil
	}
	c := sdk.SuiteCoverage{Suite: suite, Granularity: sdk.CoveragePerTest}
	for i, line := range strings.Split(text, "\n") {
		c.Tests = append(c.Tests, sdk.TestCoverage{Name: fmt.Sprint(i, line)})
	}
	sink.Suite(c)
	return nil
}

// Outline treats each line of a file named like the marker as a declaration.
func (d detector) Outline(_ context.Context, req sdk.OutlineRequest, sink sdk.OutlineSink) error {
	for _, name := range req.Files {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(req.Workspace.Root, filepath.FromSlash(name))
		}
		data, err := os.ReadFile(path)
		if err != nil && d.mode == "outlines-nothing-there" {
			sink.File(sdk.OutlinedFile{File: name})
		}
		if err != nil || filepath.Base(path) != Marker {
			continue
		}
		if d.mode == "outline-panics" && bytes.Contains(data, []byte{0}) {
			panic("no source")
		}
		sink.File(sdk.OutlinedFile{File: name, Units: d.units(string(data))})
	}
	return nil
}

func (d detector) units(source string) []sdk.SourceUnit {
	var units []sdk.SourceUnit
	for i, line := range strings.Split(source, "\n") {
		u := sdk.SourceUnit{Name: fmt.Sprint(i), Kind: sdk.UnitDeclaration, StartLine: 1 + i, EndLine: 1 + i, Digest: fmt.Sprintf("%q", line)}
		switch d.mode {
		case "outline-beyond":
			u.EndLine++
		case "outline-alike":
			u.Name = "unit"
		case "outline-without-digest":
			u.Digest = ""
		case "outline-draws":
			u.Digest = fmt.Sprint(d.drawn.Add(1))
		}
		units = append(units, u)
	}
	return units
}
