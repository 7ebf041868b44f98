package conform

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
	"github.com/proctorhq/proctor/sdk/plugintest/process"
)

const (
	// promised is how quickly a plugin must greet and end: anything slower delays every
	// run.
	promised = 2 * time.Second
	// greetLimit and describeLimit are how long a host waits for a greeting and for an
	// answer that is constant.
	greetLimit, describeLimit = 5 * time.Second, 2 * time.Second
	// patience is how long the kit waits for everything else: a busy machine is not the
	// plugin's fault.
	patience = 10 * time.Second
	// parsePatience is how long one parse may take. A parser works as fast as its runner
	// prints; this is for one that hangs.
	parsePatience = 30 * time.Second
)

// subject is one plugin being checked.
type subject struct {
	Config
	// requested is the configuration before the workspace was copied.
	requested Config
	room      *process.Room
	before    tree
	// main is the process for most points.
	main *process.Process
	// small is the one with few variables and no standard input.
	small     *process.Process
	smallConn *grpc.ClientConn
	greeting  process.Greeting
	// absent says why there is no plugin to talk to.
	absent string
	// stuck reports whether a call hung, so that the process is useless, and mourned
	// whether its end was reported.
	stuck, deathReported bool
	dialed               *grpc.ClientConn
	conn                 grpc.ClientConnInterface
	detector             *client.Detector
	identity             client.Identity
	known                bool
	// unprobed says why probes are missing.
	unprobed []string
	// programs are the programs that TestCmd starts.
	programs []string
	// strays are what processes printed to standard output after the handshake.
	strays []string
	// reports are those of the recordings played whole.
	reports map[string]*golden.Events
}

func newSubject(ctx context.Context, config Config) (*subject, error) {
	s := &subject{Config: config, requested: config, reports: map[string]*golden.Events{}}
	if s.ParseLimit == 0 {
		s.ParseLimit = parsePatience
	}
	s.collect()
	if config.Binary == "" {
		s.use(config.Conn)
		return s, nil
	}
	s.absent = "the plugin was not started"
	var err error
	if s.Binary, err = exec.LookPath(config.Binary); err != nil {
		return nil, &process.StartError{Path: config.Binary, Err: err}
	}
	if s.room, err = process.NewRoom(); err != nil {
		return nil, err
	}
	if config.Workspace.Root != "" {
		if err := copyTree(ctx, config.Workspace.Root, s.room.Workspace); err != nil {
			s.room.Close()
			return nil, err
		}
		s.Workspace.Root = s.room.Workspace
	}
	if s.before, err = takeSnapshot(ctx, s.room); err != nil {
		s.room.Close()
		return nil, err
	}
	return s, nil
}

// collect combines recordings and cases. A case that does not say where it was recorded
// counts as recorded in the workspace.
func (s *subject) collect() {
	s.Recordings, s.Listings = nil, slices.Clone(s.requested.Listings)
	s.Cases = nil
	for _, c := range s.requested.Cases {
		c = c.In(s.Workspace)
		s.Cases = append(s.Cases, c)
		if c.Listing {
			s.Listings = append(s.Listings, c.Recording)
		} else {
			s.Recordings = append(s.Recordings, c.Recording)
		}
	}
	// Cases keep their names, which are the keys of their reports.
	s.Recordings = nameUniquely(append(s.Recordings, s.requested.Recordings...))
}

// nameUniquely makes names unique.
func nameUniquely(recordings []golden.Recording) []golden.Recording {
	seen := map[string]int{}
	var named []golden.Recording
	for _, r := range recordings {
		seen[r.Name]++
		if n := seen[r.Name]; n > 1 {
			r.Name = fmt.Sprintf("%s#%d", r.Name, n)
		}
		named = append(named, r)
	}
	return named
}

func (s *subject) use(conn grpc.ClientConnInterface) {
	s.conn, s.detector, s.absent = conn, client.New(conn), ""
}

// versionsSpoken is the value of PLUGIN_PROTOCOL_VERSIONS from a current host.
func versionsSpoken() string { return strconv.Itoa(sdk.ProtocolVersion) }

// launch starts a process and waits for its greeting. The process outlives ctx, which
// may belong to a single point; close ends it.
func (s *subject) launch(ctx context.Context, env []string, ended bool) (*process.Process, process.Greeting, error) {
	p, err := process.Start(context.WithoutCancel(ctx), process.Config{Path: s.Binary, Dir: s.room.Work, Env: env, StdinEnded: ended})
	if err != nil {
		return nil, process.Greeting{}, err
	}
	g, err := p.Greeting(ctx, greetLimit)
	if err != nil {
		p.Kill()
		return nil, g, err
	}
	return p, g, nil
}

// start starts the main process and connects to it.
func (s *subject) start(ctx context.Context) error {
	main, greeting, err := s.launch(ctx, s.room.Environment(versionsSpoken()), false)
	if err != nil {
		s.absent = "the plugin did not start; see the point handshake"
		return err
	}
	s.main, s.greeting, s.stuck, s.deathReported = main, greeting, false, false
	conn, err := process.Dial(greeting, nil)
	if err != nil {
		s.absent = "there is no connection to the plugin; see the point handshake"
		return err
	}
	s.dialed = conn
	s.use(conn)
	return nil
}

// connect makes sure that there is a plugin to talk to, that the last point did not
// break it, and that its identity is known.
func (s *subject) connect(ctx context.Context, p *probe) bool {
	if s.main != nil && (s.stuck || hasEnded(s.main)) {
		if !s.stuck && !s.deathReported {
			p.fail("the plugin had ended before this check began"+lastStderr(s.main), "find out why it ended: it had received no request")
		}
		s.retire()
		if err := s.start(ctx); err != nil {
			p.fail("cannot start the plugin again: "+err.Error(), "see the points before this one")
			return false
		}
	}
	if s.absent != "" {
		p.skip(s.absent)
		return false
	}
	if s.known {
		return true
	}
	limited, cancel := context.WithTimeout(ctx, describeLimit)
	defer cancel()
	id, err := s.detector.Describe(limited, "conformance kit")
	if err != nil {
		if p.ID == "describe" {
			p.fail(fmt.Sprintf("Describe failed: %v; a host waits %v for it", err, describeLimit), "answer Describe: it is the first call, and depends only on the program")
			s.absent = "the plugin does not answer Describe; see the point describe"
		} else if p.ID == "socket" || p.ID == "health" {
			return true
		} else {
			p.skip("the plugin does not answer Describe; see the point describe")
		}
		return false
	}
	s.identity, s.known = id, true
	if s.Binary != "" {
		s.Workspace.Tools = process.FindTools(id.Tools, id.ToolDirs)
		s.probe(ctx)
	}
	s.collect()
	return true
}

// probe executes the plugin's probes in a project, like a host before it asks for
// commands. From now on their output is in the workspace.
func (s *subject) probe(ctx context.Context) {
	if s.Workspace.Root == "" || s.Workspace.Probes != nil {
		return
	}
	s.Workspace.Probes = map[string]sdk.ProbeOutput{}
	for _, one := range s.identity.Probes[:min(len(s.identity.Probes), maxProbes)] {
		// A host executes no probe that breaks the rules; the point describe reports it.
		if !checkCommand(new(probe), "", sdk.Command{Argv: one.Argv, Env: one.Env, UnsetEnv: one.UnsetEnv}) {
			continue
		}
		out, err := process.Probe(ctx, one, s.Workspace)
		if err != nil {
			s.unprobed = append(s.unprobed, err.Error())
			continue
		}
		s.Workspace.Probes[one.Name] = out
	}
}

// reportDeath reports a plugin that ended while a point was checked.
func (s *subject) reportDeath(p *probe) {
	if s.main == nil || p.ID == "lifeline" || !hasEnded(s.main) {
		return
	}
	s.deathReported = true
	p.fail("the plugin ended during this check ("+s.main.Exit().String()+")"+lastStderr(s.main),
		"catch what a call throws and answer INTERNAL; a plugin must end only when the host tells it to")
}

// retire ends the main process and keeps what it printed.
func (s *subject) retire() {
	if s.dialed != nil {
		_ = s.dialed.Close()
		s.dialed = nil
	}
	if s.main == nil {
		return
	}
	s.main.Kill()
	s.keepStrays(s.main)
	s.main, s.absent = nil, "the plugin has ended"
}

func (s *subject) keepStrays(p *process.Process) {
	if _, rest := p.Stdout(); rest != "" {
		s.strays = append(s.strays, rest)
	}
}

func (s *subject) close() {
	s.retire()
	if s.smallConn != nil {
		_ = s.smallConn.Close()
	}
	if s.small != nil {
		s.small.Kill()
	}
	if s.room != nil {
		s.room.Close()
	}
}

func hasEnded(p *process.Process) bool {
	select {
	case <-p.Ended():
		return true
	default:
		return false
	}
}

// lastStderr returns the last lines of standard error.
func lastStderr(p *process.Process) string { return formatStderr(p.Stderr()) }

// maxStderr is how much of standard error is shown: the cause is usually at its end.
const maxStderr = 600

func formatStderr(stderr string) string {
	text := strings.TrimSpace(stderr)
	if text == "" {
		return "; standard error is empty"
	}
	if len(text) > maxStderr {
		text = "..." + text[len(text)-maxStderr:]
	}
	return "; on standard error: " + text
}

// play feeds a recording. A plugin that hangs or is gone is a finding, and play returns
// false.
func (s *subject) play(ctx context.Context, p *probe, r golden.Recording, chunks golden.Chunking) (*golden.Events, bool) {
	return s.playFor(ctx, p, r, chunks, s.ParseLimit)
}

func (s *subject) playFor(ctx context.Context, p *probe, r golden.Recording, chunks golden.Chunking, limit time.Duration) (*golden.Events, bool) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	events, err := golden.Play(limited, s.detector, r, chunks)
	if err == nil {
		return events, true
	}
	s.reportBroken(ctx, p, fmt.Sprintf("the output %q in chunks of %s", r.Name, sizeName(chunks)), err)
	return events, false
}

// reportBroken reports a call that failed.
func (s *subject) reportBroken(ctx context.Context, p *probe, what string, err error) {
	advice := "report what went wrong in the tests as events, and end the stream with OK"
	switch code := status.Code(err); {
	case code == codes.DeadlineExceeded || errors.Is(err, context.DeadlineExceeded):
		s.stuck = true
		advice = "the kit gave up waiting: read on while you send, and end the stream after exit"
	case code == codes.Unavailable:
		s.stuck = true
		if s.main != nil {
			s.main.WaitFor(ctx, promised)
		}
	}
	p.fail(what+" ended with: "+err.Error(), advice)
}

func sizeName(c golden.Chunking) string {
	switch c {
	case golden.WholeChunks:
		return "any size"
	case golden.RandomChunks:
		return "random size"
	}
	return strings.TrimSpace(fmt.Sprintf("%d byte(s)", int(c)))
}

// playWhole returns the report on a recording played whole.
func (s *subject) playWhole(ctx context.Context, p *probe, r golden.Recording) (*golden.Events, bool) {
	if e, ok := s.reports[r.Name]; ok {
		return e, true
	}
	e, ok := s.play(ctx, p, r, golden.WholeChunks)
	if ok {
		s.reports[r.Name] = e
	}
	return e, ok
}

// hasRecordings reports whether there are recordings.
func (s *subject) hasRecordings(p *probe) bool {
	if len(s.Recordings) == 0 {
		p.skip("no recorded output was given: record a run of the runner and give its directory as a case (--cases)")
	}
	return len(s.Recordings) > 0
}

// hasWorkspace reports whether there is a workspace.
func (s *subject) hasWorkspace(p *probe) bool {
	if s.Workspace.Root == "" {
		p.skip("no workspace was given: give a small project of the language (--workspace)")
	}
	return s.Workspace.Root != ""
}
