package declaration

import (
	"context"
	"sync"

	"github.com/proctorhq/proctor/plugins/forge/internal/artifact"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/solidity"
	"github.com/proctorhq/proctor/sdk"
)

// Config says where the project is.
type Config struct {
	Artifacts artifact.Config
	// Src and Test are the folders of sources and tests, relative to the root
	// or absolute; "" is forge's default: "src" and "test".
	Src, Test string
	// Skip are the patterns of files that are not compiled, as `skip` has them
	// in `forge config`.
	Skip []string
	// Remappings as `forge config` has them: "forge-std/=lib/forge-std/src/".
	// They are only needed while nothing has been compiled.
	Remappings []string
}

// Finder answers where tests are declared. It reads the project when it is
// first asked, so a finder may be made before the compiler has run. It is safe
// for concurrent use; questions are answered one after the other.
type Finder struct {
	cfg Config

	mu    sync.Mutex
	state *state
}

// state is what has been read of the project.
type state struct {
	cfg     Config
	project *artifact.Project
	sources *sources
	program *solidity.Program
	suites  map[string]map[string]sdk.Location
	// remembered is how many locations suites has, and one for each suite.
	remembered int
	skip       []skipPattern
	// listed are the project's own sources that the last listing looked at.
	listed []string
	// freshness is what fresh has found.
	freshness map[string]bool
}

// maxRemembered is how many locations are remembered.
const maxRemembered = 500_000

// NewFinder returns a finder. It reads nothing yet.
func NewFinder(cfg Config) *Finder { return &Finder{cfg: cfg} }

// Find is the place where a test is declared: the function, in the file it
// really stands in, or the public variable behind a getter that forge runs as a
// test. The signature "constructor()" finds the constructor, "" the contract.
// Where the root is unknown nothing is found, and nothing read.
func (f *Finder) Find(ctx context.Context, suite, signature string) (sdk.Location, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.opened(ctx)
	if err != nil {
		return sdk.Location{}, false
	}
	defer f.answered(ctx)
	return s.find(ctx, suite, signature)
}

// opened is the project, with ctx for what is read of it until the next
// question.
func (f *Finder) opened(ctx context.Context) (*state, error) {
	if f.state != nil {
		f.state.sources.ctx = ctx
		return f.state, ctx.Err()
	}
	project, err := artifact.Open(ctx, f.cfg.Artifacts)
	if err != nil {
		return nil, err
	}
	s := &state{
		cfg:       f.cfg,
		skip:      skipPatterns(f.cfg.Skip),
		project:   project,
		sources:   newSources(ctx, project),
		suites:    map[string]map[string]sdk.Location{},
		freshness: map[string]bool{},
	}
	s.program = solidity.NewProgram(s.sources.parsed, newResolver(f.cfg, project, s.sources).resolve)
	f.state = s
	return s, nil
}

// answered forgets the project after a question that was cut short: what is
// remembered of it may be wrong.
func (f *Finder) answered(ctx context.Context) {
	if ctx.Err() != nil {
		f.state = nil
	}
}

func (s *state) find(ctx context.Context, suite, signature string) (sdk.Location, bool) {
	if location, ok := s.compiled(ctx, suite)[signature]; ok {
		return location, true
	}
	if ctx.Err() != nil {
		return sdk.Location{}, false
	}
	return s.scanned(suite, signature)
}

// compiled are the declarations that the artifact of a suite leads to.
func (s *state) compiled(ctx context.Context, suite string) map[string]sdk.Location {
	if known, ok := s.suites[suite]; ok {
		return known
	}
	source, name, ok := selection.Split(suite)
	if !ok {
		return nil
	}
	c, err := s.project.Contract(ctx, source, name)
	if ctx.Err() != nil {
		return nil
	}
	var found map[string]sdk.Location
	if err == nil && (!s.project.Indexed() || s.fresh(source)) {
		found = s.declarations(c)
	}
	s.remember(suite, found)
	return found
}

func (s *state) remember(suite string, found map[string]sdk.Location) {
	if s.remembered += 1 + len(found); s.remembered > maxRemembered {
		clear(s.suites)
		s.remembered = 0
	}
	s.suites[suite] = found
}
