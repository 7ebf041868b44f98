package conform

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// Config is a plugin under check and what it is checked with.
type Config struct {
	// Binary is a plugin's program. Without it, Conn is a connection to one,
	// and what concerns processes is not checked.
	Binary string
	Conn   grpc.ClientConnInterface
	// Workspace is a project of the plugin's language. The plugin gets a copy
	// of it where Binary is given.
	Workspace sdk.Workspace
	// Cases are recorded outputs with what must be reported. Recordings and
	// Listings are such without.
	Cases      []golden.Case
	Recordings []golden.Recording
	Listings   []golden.Recording
	// Manifest is the plugin's; nil is none.
	Manifest *Manifest
	// Flood is how many bytes of one line the memory is measured with; 0 is
	// defaultFlood.
	Flood int64
	// ParseLimit is how long one parse may take; 0 is parsePatience.
	ParseLimit time.Duration
}

// Manifest is what of a plugin's manifest.json is compared with the program.
type Manifest struct {
	Name      string
	Version   string
	Protocols []int
	// AnyFile are the file names by which a project is recognised.
	AnyFile []string
	// NoTLS reports whether it declares that it serves no TLS.
	NoTLS bool
}

// Check holds a plugin against all points. The error is one that kept the kit
// from beginning: of ctx, of the workspace, or a *process.StartError.
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
	return report(config.Binary, kit.Plugin(), results), nil
}

// Kit checks a plugin, one point at a time and in the order of [Points].
type Kit struct{ subject *subject }

// New makes the plugin's private directories and a copy of the workspace.
func New(ctx context.Context, config Config) (*Kit, error) {
	s, err := newSubject(ctx, config)
	if err != nil {
		return nil, err
	}
	return &Kit{s}, nil
}

// Plugin is who answered; empty before the first answer.
func (k *Kit) Plugin() Plugin {
	id := k.subject.identity
	return Plugin{Name: id.Name, Version: id.Version, Language: id.Language, SDKVersion: id.SDKVersion}
}

// Check holds the plugin against one point.
func (k *Kit) Check(ctx context.Context, point Point) Result {
	began := time.Now()
	p := &probe{Result{ID: point.ID, Title: point.Title, Rule: point.Rule}}
	s := k.subject
	switch {
	case point.NeedsProcess() && s.Binary == "":
		p.skip("it needs a process, and there is only a connection: give the plugin's binary")
	case point.needs != binary && !s.connect(ctx, p):
	default:
		point.check(ctx, s, p)
		s.autopsy(p)
	}
	return p.done(began)
}

// Close ends the plugin and removes its directories.
func (k *Kit) Close() { k.subject.close() }
