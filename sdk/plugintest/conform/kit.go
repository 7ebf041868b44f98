package conform

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// Config describes a plugin and what to check it with.
type Config struct {
	// Binary is the plugin's program. Without it, Conn is a connection to a plugin, and
	// rules about processes are not checked.
	Binary string
	Conn   grpc.ClientConnInterface
	// Workspace is a project of the plugin's language. With Binary, the plugin gets a
	// copy of it.
	Workspace sdk.Workspace
	// Cases are recorded outputs with their expected reports. Recordings and Listings
	// have no expectations.
	Cases      []golden.Case
	Recordings []golden.Recording
	Listings   []golden.Recording
	// Manifest is the plugin's manifest, or nil.
	Manifest *Manifest
	// Flood is the length of the line with which memory is measured, in bytes; 0 means
	// defaultFlood.
	Flood int64
	// ParseLimit is how long one parse may take; 0 means parsePatience.
	ParseLimit time.Duration
}

// Manifest holds what is compared with the program from a plugin's manifest.json.
type Manifest struct {
	Name      string
	Version   string
	Protocols []int
	// AnyFile are the names of files that mark a directory as a project.
	AnyFile []string
	// NoTLS reports whether the manifest declares that the plugin serves no TLS.
	NoTLS bool
}

// Check checks a plugin against all points. The error is one that kept the kit from
// starting: of ctx, of the workspace, or a *process.StartError.
func Check(ctx context.Context, config Config) (Report, error) {
	kit, err := New(ctx, config)
	if err != nil {
		return Report{}, err
	}
	defer kit.Close()
	var results []Result
	for _, point := range Points() {
		results = append(results, kit.Check(ctx, point))
		if err := ctx.Err(); err != nil {
			return Report{}, context.Cause(ctx)
		}
	}
	return newReport(config.Binary, kit.Plugin(), results), nil
}

// Kit checks a plugin, one point at a time and in the order of [Points].
type Kit struct{ subject *subject }

// New creates the plugin's private directories and a copy of the workspace.
func New(ctx context.Context, config Config) (*Kit, error) {
	s, err := newSubject(ctx, config)
	if err != nil {
		return nil, err
	}
	return &Kit{s}, nil
}

// Plugin returns the plugin's identity. It is empty before the first answer.
func (k *Kit) Plugin() Plugin {
	id := k.subject.identity
	return Plugin{Name: id.Name, Version: id.Version, Language: id.Language, SDKVersion: id.SDKVersion}
}

// Check checks the plugin against one point.
func (k *Kit) Check(ctx context.Context, point Point) Result {
	began := time.Now()
	p := &probe{Result{ID: point.ID, Title: point.Title, Rule: point.Rule}}
	s := k.subject
	switch {
	case point.NeedsProcess() && s.Binary == "":
		p.skip("this rule concerns processes, but there is only a connection: give the plugin's binary")
	case point.needs != binary && !s.connect(ctx, p):
	default:
		point.check(ctx, s, p)
		s.reportDeath(p)
	}
	return p.finish(began)
}

// Close ends the plugin and removes its directories.
func (k *Kit) Close() { k.subject.close() }
