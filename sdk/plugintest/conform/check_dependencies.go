package conform

import (
	"context"
	"fmt"
	"path"
	"reflect"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

func checkDependencies(ctx context.Context, s *subject, p *probe) {
	if !s.identity.Dependencies {
		p.exempt("the plugin does not declare CAPABILITY_DEPENDENCIES")
		return
	}
	if !s.hasWorkspace(p) {
		return
	}
	req := sdk.ListRequest{Workspace: s.Workspace, Dependencies: true}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	plan, err := s.detector.ListCmd(limited, req)
	if err != nil {
		s.reportRefused(ctx, p, "ListCmd for everything in the workspace, with dependencies", err)
		return
	}
	checkListing(p, plan)
	checkUnasked(p, "ListCmd", plan)
	proved := false
	for _, r := range s.Listings {
		if !r.Dependencies {
			continue
		}
		whole, ok := s.list(ctx, p, req, r, golden.WholeChunks)
		if !ok {
			return
		}
		proved = proved || len(whole.Parts) > 0 && len(whole.Suites) > 0
		checkParts(p, r.Name, whole)
		split, ok := s.list(ctx, p, req, r, golden.RandomChunks)
		if !ok {
			return
		}
		if !reflect.DeepEqual(split, whole) {
			p.fail(r.Name+": the parts and their needs differ between random chunks and the whole output", "make them depend neither on the split nor on the order of a map")
		}
	}
	if !proved {
		p.skip("no recorded listing reports parts: record what a command of ListCmd with dependencies prints, as a case with \"listing\": true and \"dependencies\": true in run.json")
	}
}

// checkParts checks a listing for consistency.
func checkParts(p *probe, name string, l *golden.Listing) {
	known := map[string]bool{}
	for _, part := range l.Parts {
		known[part.Name] = true
	}
	needs := func(who string, needs []string) {
		for _, need := range needs {
			if !known[need] {
				p.fail(fmt.Sprintf("%s: %.100q needs the part %.100q, which is not reported", name, who, need),
					"report every part that something needs; a suite that may depend on more is opaque")
			}
		}
	}
	for _, suite := range l.Suites {
		needs(suite.Suite, suite.Needs)
		if len(suite.Needs) == 0 && suite.Opaque == "" {
			p.fail(fmt.Sprintf("%s: the suite %.100q is built from nothing", name, suite.Suite), "name its parts, or say in opaque why they are unknown")
		}
	}
	for _, part := range l.Parts {
		needs(part.Name, part.Needs)
		if part.Name == "" {
			p.fail(name+": a part has no name", "give each part a name within the listing")
		}
		for _, file := range append(append([]string{}, part.Files...), part.Patterns...) {
			if file == "" || !path.IsAbs(file) && !isLocalPath(file) || path.Clean(file) != file {
				p.fail(fmt.Sprintf("%s: the part %.100q has the path %.200q", name, part.Name, file),
					"give clean paths with slashes: relative below the workspace, absolute outside of it")
			}
		}
	}
}
