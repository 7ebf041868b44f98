package settings

import (
	"maps"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
)

// Under returns the settings under the arguments of a command: argv is "forge
// test ..." or empty.
func (s Settings) Under(argv []string) Settings {
	if len(argv) < 2 {
		return s
	}
	list, _ := arguments.Parse(argv[2:])
	s.Conditions = maps.Clone(s.Conditions)
	for _, option := range list {
		s.apply(option)
	}
	return s
}

func (s *Settings) apply(option arguments.Option) {
	value := option.Value()
	switch option.Name {
	case "out":
		s.Out = value
	case "cache-path":
		s.CachePath = value
	case "contracts":
		s.Src = value
	case "fork-url", "rpc-url":
		s.Forks = true
	case "ffi":
		s.FFI = true
	case "fuzz-seed":
		s.FuzzSeed = value
	case "force", "no-cache":
		s.Recompiles = true
	case "threads":
		if n, err := strconv.Atoi(value); err == nil {
			s.Threads = n
		}
	case "use":
		s.Solc = value
		s.Conditions["solc"] = value
	case "evm-version":
		s.Conditions["evm_version"] = value
	case "via-ir":
		s.Conditions["via_ir"] = "true"
	case "isolate":
		s.Conditions["isolate"] = "true"
	case "dynamic-test-linking":
		s.Conditions["dynamic_test_linking"] = "true"
	case "optimize":
		s.setOptimizer(value != "false", "")
	case "optimizer-runs":
		// The option enables the optimizer unless the configuration sets it. The
		// configuration as forge prints it does not show whether it does.
		if on := s.Conditions["optimizer"]; strings.HasPrefix(on, "true") {
			s.setOptimizer(true, value)
		} else {
			s.Conditions["optimizer"] = strings.TrimSpace(on + " --optimizer-runs " + value)
		}
	}
}

// setOptimizer replaces the condition; empty runs means the configured number.
func (s *Settings) setOptimizer(on bool, runs string) {
	if runs == "" {
		_, runs, _ = strings.Cut(s.Conditions["optimizer"], " ")
	}
	switch {
	case !on:
		s.Conditions["optimizer"] = "false"
	case runs == "":
		s.Conditions["optimizer"] = "true"
	default:
		s.Conditions["optimizer"] = "true " + runs
	}
}
