package forge

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/sdk"
)

// wayOf returns the way in which a command with these arguments runs tests, without what
// selects tests, what is printed, how many run in parallel, and the seed, which a rerun
// has from the run.
func wayOf(ws sdk.Workspace, list arguments.List) *sdk.Way {
	w := &sdk.Way{}
	for _, option := range list {
		if !userOption(option) || isNeutral(option) {
			continue
		}
		word := "--" + option.Name
		if len(option.Values) > 0 {
			word += "=" + strings.Join(option.Values, " ")
		}
		w.Decides = append(w.Decides, word)
	}
	if profile := ws.Env[profileVariable]; profile != "" && profile != "default" {
		w.Decides = append(w.Decides, profileVariable+"="+profile)
	}
	slices.Sort(w.Decides)
	return w
}

// isNeutral reports whether an option does not affect results.
func isNeutral(option arguments.Option) bool {
	if option.Name == "" || narrowsRun(option) || strings.HasPrefix(option.Name, "no-match-") {
		return true
	}
	switch option.Name {
	case "color", "detailed", "fail-fast", "force", "fuzz-seed", "gas-report", "json", "junit", "live-logs", "no-cache", "quiet", "rerun",
		"show-progress", "summary", "suppress-successful-traces", "threads", "trace-depth", "verbosity", "ast", "build-info", "build-info-path",
		"out", "cache-path":
		return true
	}
	return false
}
