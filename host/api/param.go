package api

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Param is a parameter of a request. What both fronts offer of it is declared here and
// nowhere else: the flag with its help derives from it, and so do the schema of a
// tool's argument and the way in which the argument is taken.
type Param struct {
	// Value points to the field of the request.
	Value any
	// Flag is the name of the flag, and Short its letter. Arg is in place of a flag, for
	// an argument that is known by its position. Without any, the command line does
	// not have the parameter.
	Flag, Short, Arg string
	// Tool is the name of a tool's argument; empty is that no tool has one.
	Tool string
	// Help is for people: a word in backquotes stands for the value. Agent is for a
	// model, which reads it in every conversation. In both, {max} stands for Max.
	Help, Agent string
	// As is a tool that has the same argument: a definition only refers to it.
	As string
	// Language is the one that has the parameter; empty is any.
	Language string
	// Default is what the parameter is where it is not given.
	Default any
	// ToolDefault is it for a tool that has another one.
	ToolDefault any
	// Max is the most that a number can be, which is clamped; of a time it is in units.
	// ToolMax is it for a tool alone. With less than Min a flag is refused.
	Min, Max, ToolMax int
	// Unit is that of a time; none is a second.
	Unit time.Duration
	// Bare is the value of a flag that is given without one.
	Bare string
	// Words are the values that the parameter can have; none is any.
	Words []string
	// Single: of several, a tool takes one.
	Single bool
	// Required: a tool cannot do without.
	Required bool
}

// FlagHelp is the help of the flag.
func (p Param) FlagHelp() string {
	return p.inLanguage(strings.ReplaceAll(p.Help, "{max}", strconv.Itoa(p.Max)))
}

// ToolHelp is the description of a tool's argument.
func (p Param) ToolHelp() string {
	if p.As != "" {
		return "As in " + p.As + "."
	}
	return p.inLanguage(strings.ReplaceAll(p.Agent, "{max}", strconv.Itoa(p.MostOfTool())))
}

// MostOfTool is the most that a tool's number can be; 0 is any.
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

// Foundry is what parameters are named for that only its runs have.
const Foundry = "Foundry"

// asRunTests is the tool that has most parameters of runs.
const asRunTests = "run_tests"

// languageParam narrows a question to a language.
func languageParam(language *string, help string) Param {
	return Param{Value: language, Flag: "lang", Help: help}
}

// fromParam names runs that were made elsewhere.
func fromParam(from *string, what string) Param {
	return Param{Value: from, Flag: "from", Help: what + ", as `FILE` tells: a json report, an archive of exported runs, a directory of them, or the https:// address of one"}
}

// timeoutParam is how long a run may take.
func timeoutParam(timeout *time.Duration) Param {
	return Param{
		Value: timeout, Flag: "timeout", Tool: "timeout", ToolDefault: DefaultTimeout, ToolMax: int(MaxTimeout.Seconds()),
		Help: "stop after `DURATION`, such as 90s or 1h30m (default: run.timeout in .proctor.toml, or never; the runner's own limits stand)", Agent: "Seconds until the run is killed (exit 124). Max {max}.",
	}
}

// suiteParams choose suites of a run, a list or an index.
func suiteParams(packages *[]string, matchPath, matchContract *string) []Param {
	return []Param{
		{
			Value: packages, Flag: "package", Tool: "packages",
			Help:  "only these packages (`PACKAGE`, repeatable), or what the language has in their place; the arguments of a command name them, too",
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

// filterParam chooses tests by name.
func filterParam(filter *string) Param {
	return Param{
		Value: filter, Flag: "filter", Short: "f", Tool: "filter",
		Help: "only tests whose name matches `REGEX`, in the runner's notation", Agent: "Test name regex.",
	}
}
