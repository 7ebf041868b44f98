package help

// Group is a heading of proctor --help, with its commands in their order.
type Group struct {
	Title    string
	Commands []string
}

// Groups puts the commands that a day's work needs under headings, by purpose.
func Groups() []Group {
	return []Group{
		{"Run tests", []string{"run", "rerun", "watch", "triage", "merge"}},
		{"Ask about them", []string{"failures", "output", "why", "diff", "history", "covering", "gas"}},
		{"Keep the record", []string{"report", "quarantine"}},
		{"Set up", []string{"doctor", "mcp", "plugin"}},
	}
}

// Others are the commands that are seldom needed: a help only names them.
func Others() []string { return []string{"runs", "timings", "ingest", "completion", "version"} }

// SeeAlso names related commands.
func SeeAlso(command string) string {
	return map[string]string{
		"run":            "proctor rerun, proctor failures, proctor watch",
		"rerun":          "proctor run -f REGEX (one test), proctor triage",
		"watch":          "proctor run --affected, proctor rerun",
		"triage":         "proctor why (what changed), proctor history defer (set a test aside)",
		"failures":       "proctor output TEST (the whole output), proctor why TEST, proctor rerun",
		"output":         "proctor failures, proctor runs show",
		"why":            "proctor history TEST, proctor triage, proctor diff",
		"history":        "proctor why TEST, proctor runs",
		"history defer":  "proctor triage, proctor rerun --list",
		"runs":           "proctor failures, proctor diff RUN RUN",
		"runs show":      "proctor runs (run ids), proctor failures, proctor diff",
		"diff":           "proctor runs (run ids), proctor why TEST",
		"covering":       "proctor run --affected",
		"covering index": "proctor covering, proctor run --affected",
		"ingest":         "proctor runs import",
		"merge":          "proctor run --shard, proctor timings, proctor report",
		"timings":        "proctor run --shard, proctor history --slow",
		"report":         "proctor run --report FORMAT=FILE, proctor runs (run ids)",
		"mcp context":    "proctor history --recurring, proctor rerun --list",
		"doctor":         "proctor plugin list, proctor version",
	}[command]
}
