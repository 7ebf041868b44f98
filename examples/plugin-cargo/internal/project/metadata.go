package project

import (
	"path/filepath"
	"slices"
)

// metadata has the fields of cargo metadata, format version 1, that the plugin uses.
type metadata struct {
	Packages        []metadataPackage `json:"packages"`
	Members         []string          `json:"workspace_members"`
	DefaultMembers  []string          `json:"workspace_default_members"` // since Rust 1.71
	WorkspaceRoot   string            `json:"workspace_root"`
	TargetDirectory string            `json:"target_directory"`
}

type metadataPackage struct {
	Name         string              `json:"name"`
	ID           string              `json:"id"`
	ManifestPath string              `json:"manifest_path"`
	Features     map[string][]string `json:"features"`
	Targets      []MetadataTarget    `json:"targets"`
}

// MetadataTarget is a target as cargo writes it, in its messages too.
type MetadataTarget struct {
	Kind     []string `json:"kind"`
	Name     string   `json:"name"`
	Source   string   `json:"src_path"`
	Test     bool     `json:"test"`
	Doctest  bool     `json:"doctest"`
	Required []string `json:"required-features"`
}

// KindName returns the kind of the target as cargo's flags name it; empty for a build
// script.
func (t MetadataTarget) KindName() string {
	for _, k := range []string{"bin", "test", "example", "bench"} {
		if slices.Contains(t.Kind, k) {
			return k
		}
	}
	if slices.Contains(t.Kind, "custom-build") {
		return ""
	}
	return KindLib // lib, rlib, dylib, cdylib, staticlib, proc-macro
}

func (mp metadataPackage) toPackage() Package {
	pkg := Package{Name: mp.Name, ID: mp.ID, Features: mp.Features}
	harness := readHarness(mp.ManifestPath)
	var docs []Target
	for _, mt := range mp.Targets {
		kind := mt.KindName()
		if kind == "" {
			continue
		}
		t := Target{
			Package: mp.Name, Kind: kind, Name: mt.Name, Source: mt.Source, Dir: filepath.Dir(mp.ManifestPath),
			Tested: mt.Test, Required: mt.Required, Harness: harness.hasHarness(kind, mt.Name),
		}
		pkg.Targets = append(pkg.Targets, t)
		if mt.Doctest {
			t.Kind, t.Tested, t.Harness = KindDoc, true, true
			docs = append(docs, t)
		}
	}
	pkg.Targets = append(pkg.Targets, docs...) // as cargo: doc tests come last
	return pkg
}
