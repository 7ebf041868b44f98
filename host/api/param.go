package api

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/prose"
)

// Param declares a parameter of a request for both fronts: the flag with its help, and
// the schema and reading of a tool's argument, derive from it.
type Param struct {
	// Value points to the field of the request.
	Value any
	// Flag is the name of the flag, and Short its letter. Arg instead names a positional
	// argument. Without any of them, the command line does not have the parameter.
	Flag, Short, Arg string
	// Tool is the name of the tools' argument; empty if no tool has it.
	Tool string
	// Help is for users: a word in backquotes stands for the value, and {max} for Max.
	// Agent is for a model, which reads it in every conversation, so it is short, and empty
	// if the name says it.
	Help, Agent string
	// Same reports whether the argument means what it does in run_tests, so that its
	// definition need not say it again.
	Same bool
	// Language is the only one with the parameter; empty means all.
	Language string
	// Default is the value if the parameter is not given.
	Default any
	// ToolDefault is the default of tools, if different.
	ToolDefault any
	// Max is the largest number, to which others are clamped; for a time it is in units.
	// ToolMax is that of tools, if different. A flag below Min is an error. Tools have both
	// in the schema, and clamp.
	Min, Max, ToolMax int
	// Unit is the unit of a time; 0 means seconds.
	Unit time.Duration
	// Bare is the value of a flag without a value.
	Bare string
	// Words are the allowed values; none means any.
	Words []string
	// Single reports whether tools take one value, although the flag is repeatable.
	Single bool
	// Required reports whether tools require it.
	Required bool
}

// FlagHelp returns the help of the flag.
func (p Param) FlagHelp() string {
	most := strconv.Itoa(p.Max)
	if _, ok := p.Value.(*time.Duration); ok {
		most = prose.Seconds(float64(p.Max))
	}
	return p.inLanguage(strings.ReplaceAll(p.Help, "{max}", most))
}

// ToolHelp returns the description of a tool's argument.
func (p Param) ToolHelp() string {
	if p.Same {
		return ""
	}
	return p.inLanguage(p.Agent)
}

// MostOfTool returns the largest number that a tool takes; 0 means any.
func (p Param) MostOfTool() int { return cmp.Or(p.ToolMax, p.Max) }

func (p Param) inLanguage(text string) string {
	switch {
	case p.Language == "":
		return text
	case text == "":
		return p.Language + "."
	}
	return p.Language + ": " + text
}

// Foundry is the Language of parameters that only its runs have. Tools have them where
// there is a file named FoundryMarker.
const (
	Foundry       = "Foundry"
	FoundryMarker = "foundry.toml"
)

// languageParam restricts a request to a language.
func languageParam(language *string, help string) Param {
	return Param{Value: language, Flag: "lang", Help: help}
}

// fromParam names runs that were made elsewhere.
func fromParam(from *string, what string) Param {
	return Param{Value: from, Flag: "from", Help: what + ", read from `FILE`: a json report, an archive of exported runs, a directory of them, or the https:// address of one"}
}

// timeoutParam limits the time of a run.
func timeoutParam(timeout *time.Duration) Param {
	return Param{
		Value: timeout, Flag: "timeout", Tool: "timeout", ToolDefault: DefaultTimeout, ToolMax: int(MaxTimeout.Seconds()),
		Help: "stop after `DURATION`, such as 90s or 1h30m (default: run.timeout in .proctor.toml, or never; the runner's own limits still apply)", Agent: "Seconds until it is killed (exit 124).",
	}
}

// suiteParams select the suites of a run, a list or an index.
func suiteParams(packages *[]string, matchPath, matchContract *string) []Param {
	return []Param{
		{
			Value: packages, Flag: "package", Tool: "packages",
			Help:  "same as the argument `PACKAGE`; repeatable",
			Agent: "Package patterns (Go). Default ./...",
		},
		{
			Value: matchPath, Flag: "match-path", Tool: "match_path", Language: Foundry,
			Help: "only tests in files whose path matches `GLOB`", Agent: "test file glob.",
		},
		{
			Value: matchContract, Flag: "match-contract", Tool: "match_contract", Language: Foundry,
			Help: "only tests of contracts whose name matches `REGEX`", Agent: "contract name regex.",
		},
	}
}

// filterParam selects tests by name.
func filterParam(filter *string) Param {
	return Param{
		Value: filter, Flag: "filter", Short: "f", Tool: "filter",
		Help: "only tests whose name matches `REGEX`, in the runner's notation", Agent: "Test name regex.",
	}
}
