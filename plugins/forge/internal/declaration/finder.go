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
	// Src and Test are the folders of sources and tests, relative to the root or
	// absolute. "" means forge's default: "src" and "test".
	Src, Test string
	// Skip are the patterns of files that are not compiled, as in `skip` of `forge
	// config`.
	Skip []string
	// Remappings are those of `forge config`, such as "forge-std/=lib/forge-std/src/".
	// They are needed only until something has been compiled.
	Remappings []string
}

// Finder finds where tests are declared. It reads the project on the first question, so
// it may be created before the compiler has run. It is safe for concurrent use, and
// answers one question at a time.
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
	// remembered counts the locations in suites, plus one for each suite.
	remembered int
	skip       []skipPattern
	// listed are the project's own sources as of the last listing.
	listed []string
	// freshness caches the results of fresh.
	freshness map[string]bool
}

// maxRemembered bounds the number of remembered locations.
const maxRemembered = 500_000

// NewFinder returns a finder. It reads nothing yet.
func NewFinder(cfg Config) *Finder { return &Finder{cfg: cfg} }

// Find returns the place where a test is declared: the function, in the file that
// contains it, or the public variable behind a getter that forge runs as a test. The
// signature "constructor()" finds the constructor, and "" the contract. Without a known
// root it reads nothing and finds nothing.
func (f *Finder) Find(ctx context.Context, suite, signature string) (sdk.Location, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.open(ctx)
	if err != nil {
		return sdk.Location{}, false
	}
	defer f.dropIfCancelled(ctx)
	return s.find(ctx, suite, signature)
}

// open returns the project. It reads with ctx until the next question.
func (f *Finder) open(ctx context.Context) (*state, error) {
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

// dropIfCancelled drops the project if the question was cancelled: what it remembers may be
// incomplete.
func (f *Finder) dropIfCancelled(ctx context.Context) {
	if ctx.Err() != nil {
		f.state = nil
	}
}

func (s *state) find(ctx context.Context, suite, signature string) (sdk.Location, bool) {
	if location, ok := s.compiledDeclarations(ctx, suite)[signature]; ok {
		return location, true
	}
	if ctx.Err() != nil {
		return sdk.Location{}, false
	}
	return s.scanDeclaration(suite, signature)
}

// compiledDeclarations returns the declarations that the artifact of a suite leads to.
func (s *state) compiledDeclarations(ctx context.Context, suite string) map[string]sdk.Location {
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
	if err == nil && (!s.project.HasIndex() || s.isFresh(source)) {
		found = s.dispatchedDeclarations(c)
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
