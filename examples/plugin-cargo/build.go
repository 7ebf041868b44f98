package cargotest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/proctor-plugin-cargo/internal/arguments"
	"example.com/proctor-plugin-cargo/internal/project"
	"github.com/proctorhq/proctor/sdk"
)

// build holds what cargo's messages said about the build.
type build struct {
	finished, succeeded bool
	inLongMessage       bool            // a message longer than a line is being skipped
	seen                map[string]bool // errors: cargo repeats those of a library for its tests
	errors              int
}

// cargoMessage has the fields of a cargo message that the plugin uses: see "JSON messages"
// in The Cargo Book.
type cargoMessage struct {
	Reason    string                 `json:"reason"`
	Success   bool                   `json:"success"`
	PackageID string                 `json:"package_id"`
	Target    project.MetadataTarget `json:"target"`
	Message   diagnostic             `json:"message"`
}

type diagnostic struct {
	Level    string `json:"level"`
	Message  string `json:"message"`
	Rendered string `json:"rendered"`
	Code     *struct {
		Code string `json:"code"`
	} `json:"code"`
	Spans    []span       `json:"spans"`
	Children []diagnostic `json:"children"`
}

type span struct {
	File    string `json:"file_name"`
	Line    int    `json:"line_start"`
	Column  int    `json:"column_start"`
	Primary bool   `json:"is_primary"`
	Label   string `json:"label"`
	// Expansion is set if a macro generated the code.
	Expansion *struct {
		Span span `json:"span"`
	} `json:"expansion"`
}

// readMessage reads a line of JSON.
func (p *parser) readMessage(l sdk.Line) {
	var m cargoMessage
	if !l.Whole() || json.Unmarshal(l.Text, &m) != nil {
		p.build.inLongMessage = l.More
		// If it was an error, the build fails, and the end of the build says so.
		p.sink.Unread(sdk.Unread{Bytes: int64(len(l.Text)), Damaged: l.Unended, Sample: string(l.Text[:min(len(l.Text), sdk.MaxSample)])})
		return
	}
	switch m.Reason {
	case "build-finished":
		p.build.finished, p.build.succeeded = true, m.Success
	case "compiler-message":
		if strings.HasPrefix(m.Message.Level, "error") && !strings.HasPrefix(m.Message.Message, "aborting due to ") {
			p.reportCompileError(m)
		}
	}
}

func (p *parser) reportCompileError(m cargoMessage) {
	d := m.Message
	f := sdk.Failure{TestID: sdk.TestID{Suite: p.suiteOf(m)}, Kind: sdk.KindBuild, Message: d.Message, Output: d.Rendered}
	if d.Code != nil && d.Code.Code != "" {
		f.Message = fmt.Sprintf("%s [%s]", d.Message, d.Code.Code)
		f.Attributes = map[string]string{"code": d.Code.Code}
	}
	for _, s := range d.Spans {
		if s.Primary {
			f.Location = p.spanLocation(s)
			if s.Label != "" {
				f.Message += ": " + s.Label
			}
			break
		}
	}
	key := fmt.Sprintf("%v %s", f.Location, d.Message)
	if p.build.seen[key] {
		return
	}
	p.build.seen[key] = true
	if p.build.errors == 0 {
		f.Blocks = plannedSuites(p.run.Command, p.project, f.Suite)
	}
	p.build.errors++
	p.explained = true
	p.sink.Failure(f)
}

// suiteOf returns the suite of the target that did not compile, or else the one that the
// command was for. Without either, the run is to blame.
func (p *parser) suiteOf(m cargoMessage) string {
	if p.project != nil {
		if pkg, ok := p.project.Package(m.PackageID); ok {
			for _, t := range pkg.Targets {
				if t.Kind == m.Target.KindName() && t.Name == m.Target.Name && t.Tested {
					return t.Suite()
				}
			}
		}
	}
	return p.suite
}

// isPreparing reports whether the command only builds. A replayed recording has only the
// arguments.
func isPreparing(command sdk.Command) bool {
	return command.Prepares || slices.Contains(command.Argv, "--no-run")
}

// plannedSuites returns the suites of the commands after one that prepares, except but: none
// of them runs if it fails.
func plannedSuites(command sdk.Command, in *project.Project, but string) []string {
	if !isPreparing(command) || in == nil {
		return nil
	}
	var argv []string
	for _, a := range command.Argv[min(2, len(command.Argv)):] {
		if a != "--no-run" && !strings.HasPrefix(a, "--message-format") {
			argv = append(argv, a)
		}
	}
	args, err := arguments.Parse(argv)
	if err != nil {
		return nil // not a command of this plugin
	}
	selected, err := in.Select(args)
	if err != nil {
		return nil
	}
	var suites []string
	for _, t := range selected.Targets {
		if s := t.Suite(); s != but {
			suites = append(suites, s)
		}
	}
	return suites
}
