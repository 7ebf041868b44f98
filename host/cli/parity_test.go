package cli

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/mcp"
)

// surface is a request with the command and the tool that make it.
type surface struct {
	request interface{ Params() []api.Param }
	command string
	tool    string
}

// surfaces are all requests. Without a tool, onlyCommand says why.
var surfaces = []surface{
	{new(api.UploadRequest), "run", "run_tests"},
	{new(api.RunRequest), "run", "run_tests"},
	{new(api.RerunRequest), "rerun", "run_failing_tests"},
	{new(api.TriageRequest), "triage", "triage_failures"},
	{new(api.FailuresRequest), "failures", "last_test_failures"},
	{new(api.OutputRequest), "output", "get_test_output"},
	{new(api.LastRun), "runs show", "get_run"},
	{new(api.WhyRequest), "why", "why_failing"},
	{new(api.DiffRequest), "diff", "why_failing"},
	{new(api.HistoryRequest), "history", "test_history"},
	{new(api.CoveringRequest), "covering", "tests_covering"},
	{new(api.TestsRequest), "run", "list_tests"},
	{new(api.OutstandingRequest), "rerun", ""},
	{new(api.IndexRequest), "covering index", ""},
	{new(api.DeferRequest), "history defer", ""},
	{new(api.QuarantineRequest), "quarantine add", ""},
	{new(api.MeasureRequest), "gas", ""},
	{new(api.BaselineRequest), "gas baseline set", ""},
	{new(api.RunsRequest), "runs", ""},
	{new(api.PruneRequest), "runs prune", ""},
	{new(api.ExportRequest), "runs export", ""},
	{new(api.ImportRequest), "runs import", ""},
	{new(api.IngestRequest), "ingest", ""},
	{new(api.MergeRequest), "merge", ""},
	{new(api.TimingsRequest), "timings", ""},
	{new(api.ParseRequest), "ingest", ""},
}

// Reasons why something is on one front only.
const (
	byTheFront = "the front itself sets it"
	budget     = "definitions are read in every conversation: it would cost all to help few"
	inWhole    = "the command line prints the whole, and a pager or a pipe cuts it"
	usersWord  = "it changes what counts, or what is kept: that is the user's word"
)

// onlyCommand are the commands without a tool.
var onlyCommand = map[string]string{
	"covering index": "tests_covering measures what it is asked about",
	"doctor":         "workspace_info is its tool, and takes nothing but a workspace",
	"version":        "a client reads it in the answer to initialize",
	"gas":            budget, "gas baseline set": usersWord, "history defer": usersWord,
	"quarantine": usersWord, "quarantine add": usersWord, "quarantine list": "it is a file that an agent reads", "quarantine remove": usersWord,
	"report": "its formats are for other programs: an agent has get_run",
	"watch":  "an agent edits and then asks: run_tests with affected is its answer",
	"runs":   budget, "runs list": budget,
	"runs prune": usersWord, "runs export": usersWord, "runs import": usersWord, "ingest": usersWord,
	"merge": "it is what CI does with the work of several machines", "timings": "it is what CI divides that work by",
}

// onlyTool are the tools without a command.
var onlyTool = map[string]string{
	"cancel_run":     "at a terminal that is an interrupt",
	"workspace_info": "proctor doctor and proctor mcp context are its commands",
}

// onlyOneFront are the fields of requests that only one front takes, or none.
var onlyOneFront = map[string]string{
	"Where":       "-C for each command, and workspace for each tool",
	"RunID":       byTheFront,
	"Took":        byTheFront,
	"OneLanguage": byTheFront,
	"Since":       byTheFront,
	"Doubts":      byTheFront,
	"Bytes":       byTheFront,

	"DefaultTimeout": "a tool has a limit of its own",

	"Progress":   byTheFront,
	"All":        byTheFront,
	"Names":      "gas is all that is measured so far",
	"Measures":   "--gas: gas is all that is measured so far",
	"Plugin":     "--plugin, which every command has, is a name there",
	"RunnerArgs": "they follow --, or stand as they are; a tool takes those that need not be the user's own",

	"OnlyHarmless": byTheFront,
	"Check":        byTheFront,
	"Repeat":       "a terminal has a loop, and -count",

	"Sources": "it is a path; a tool has the files in its call",
	"Files":   "a command line has a path to them",

	"AllowUnsandboxed":               usersWord,
	"RunRequest.Seed":                budget,
	"RunRequest.RetryLimit":          "a tool heeds the project's own",
	"RerunRequest.Retries":           "a tool that reruns is called again",
	"RerunRequest.RetryLimit":        "as of a run",
	"RunRequest.Cover":               budget,
	"RunRequest.Shard":               "shards are of several machines, and an agent has one",
	"RunRequest.Timings":             "as --shard",
	"RunRequest.Attempt":             "as --shard",
	"From":                           "a tool would read any file or address that it is told of",
	"RerunRequest.Of":                "a terminal has one list of what is outstanding; an agent may mean the run that it has seen",
	"ParseRequest.Root":              "-C of ingest",
	"TestsRequest.Limit":             inWhole,
	"TestsRequest.Cursor":            inWhole,
	"TestsRequest.Language":          "--lang of run",
	"OutstandingRequest.Limit":       "--limit of rerun",
	"OutstandingRequest.Language":    "--lang of rerun",
	"TriageRequest.NoCache":          budget,
	"TriageRequest.Languages":        "a tool triages the languages that have failures",
	"OutputRequest.Stream":           inWhole,
	"OutputRequest.Offset":           inWhole,
	"OutputRequest.MaxBytes":         inWhole,
	"FailuresRequest.Offset":         inWhole,
	"WhyRequest.Language":            budget,
	"DiffRequest.Language":           budget,
	"DiffRequest.ThresholdPercent":   budget,
	"HistoryRequest.Language":        budget,
	"HistoryRequest.Rates":           budget,
	"CoveringRequest.Language":       budget,
	"CoveringRequest.Base":           budget,
	"CoveringRequest.Measure":        "covering index is its command",
	"OutputRequest.LastRun.Language": "the run says which language it is of",
}

func TestBothFrontsMakeEveryRequest(t *testing.T) {
	t.Parallel()
	root := (&app{}).command()
	tools := toolArguments(t)
	used := map[string]bool{}
	for _, s := range surfaces {
		cmd, _, err := root.Find(strings.Fields(s.command))
		if err != nil || cmd == root {
			t.Fatalf("there is no command %s", s.command)
		}
		given, there := tools[s.tool]
		if s.tool != "" && !there {
			t.Fatalf("there is no tool %s", s.tool)
		}
		params := s.request.Params()
		request := reflect.ValueOf(s.request).Elem()
		for field, value := range requestFields(request.Type().Name(), request) {
			inCommand, inTool := false, s.tool == ""
			for _, p := range params {
				if p.Value != value {
					continue
				}
				inCommand = inCommand || takesParam(cmd, p)
				inTool = inTool || p.Tool != "" && slices.Contains(given, p.Tool)
			}
			short := field[strings.LastIndexByte(field, '.')+1:]
			for _, name := range []string{field, short} {
				if onlyOneFront[name] != "" && !(inCommand && inTool) {
					used[name], inCommand, inTool = true, true, true
				}
			}
			if !inCommand {
				t.Errorf("%s: proctor %s does not take it", field, s.command)
			}
			if !inTool {
				t.Errorf("%s: the tool %s does not take it", field, s.tool)
			}
		}
	}
	for name := range onlyOneFront {
		if !used[name] {
			t.Errorf("%s is on both fronts, or nowhere: it needs no reason", name)
		}
	}
}

// requestFields are the fields of a request by their names, those of the structs within it
// too, with pointers to them.
func requestFields(name string, v reflect.Value) map[string]any {
	fields := map[string]any{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			within := f.Name
			if f.Name == "LastRun" {
				within = name + "." + f.Name
			}
			maps.Copy(fields, requestFields(within, v.Field(i)))
			continue
		}
		fields[name+"."+f.Name] = v.Field(i).Addr().Interface()
	}
	return fields
}

// takesParam reports whether a command takes a parameter: by the flag with its help, or
// by its position.
func takesParam(cmd *cobra.Command, p api.Param) bool {
	if p.Arg != "" {
		return strings.Contains(cmd.Use, p.Arg)
	}
	if f := cmd.Flags().Lookup(p.Flag); f != nil {
		return f.Usage == p.FlagHelp()
	}
	return p.Flag != "" && strings.Contains(cmd.Use, strings.ToUpper(p.Flag))
}

// toolArguments are the names of the arguments of each tool.
func toolArguments(t *testing.T) map[string][]string {
	t.Helper()
	tools := map[string][]string{}
	for _, tool := range mcp.New(mcp.Config{}).Tools() {
		raw, err := json.Marshal(tool.InputSchema)
		var schema struct {
			Properties map[string]any `json:"properties"`
		}
		if err == nil {
			err = json.Unmarshal(raw, &schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = slices.Collect(maps.Keys(schema.Properties))
	}
	return tools
}

func TestParityOfFrontsHasOnlyListedExceptions(t *testing.T) {
	t.Parallel()
	commanded, tooled := map[string]bool{}, map[string]bool{}
	for _, s := range surfaces {
		if s.tool != "" {
			commanded[s.command], tooled[s.tool] = true, true
		}
	}
	for _, c := range commands((&app{}).command()) {
		name := strings.TrimPrefix(c.CommandPath(), "proctor ")
		first, _, _ := strings.Cut(name, " ")
		switch {
		case c.HasAvailableSubCommands() && name != "runs" && name != "gas" && name != "history" && name != "covering", slices.Contains([]string{"mcp", "plugin", "completion", "help"}, first):
			// These are about proctor itself.
		case commanded[name] == (onlyCommand[name] != ""):
			t.Errorf("proctor %s: is there a tool for it, %v; a reason why not: %q", name, commanded[name], onlyCommand[name])
		}
	}
	for name := range toolArguments(t) {
		if tooled[name] == (onlyTool[name] != "") {
			t.Errorf("%s: is there a command for it, %v; a reason why not: %q", name, tooled[name], onlyTool[name])
		}
	}
}

func TestEveryRequestBelongsToASurface(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range surfaces {
		known[reflect.TypeOf(s.request).Elem().Name()] = true
	}
	paths, err := filepath.Glob("../api/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, len(paths))
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && strings.HasSuffix(spec.Name.Name, "Request") && !known[spec.Name.Name] {
				t.Errorf("%s: %s has no surface", path, spec.Name.Name)
			}
			return true
		})
	}
}
