package main

import (
	_ "embed"
	"errors"
)

//go:embed templates/proctor.rb.tmpl
var formulaTemplate string

// formulaFile is the name of the formula's artifact.
const formulaFile = "proctor.rb"

// releases is the address of the archives of a release, without the tag.
const releases = "https://github.com/proctorhq/proctor/releases/download/"

// errFormulaNeedsAll is returned if there cannot be a formula.
var errFormulaNeedsAll = errors.New("a Homebrew formula names the archives of darwin and linux, for amd64 and arm64, and not all were made")

// formula returns a Homebrew formula that installs these archives.
func formula(s stamp, archives map[platform]artifact) ([]byte, error) {
	fields := struct {
		Version, Releases                      string
		MacArm, MacIntel, LinuxArm, LinuxIntel artifact
	}{Version: s.number(), Releases: releases + s.version}
	for p, field := range map[platform]*artifact{
		{"darwin", "arm64"}: &fields.MacArm, {"darwin", "amd64"}: &fields.MacIntel,
		{"linux", "arm64"}: &fields.LinuxArm, {"linux", "amd64"}: &fields.LinuxIntel,
	} {
		made, ok := archives[p]
		if !ok {
			return nil, errFormulaNeedsAll
		}
		*field = made
	}
	return fill("formula", formulaTemplate, fields)
}
