package arguments

// arity is how many words an option takes.
type arity int

const (
	none     arity = iota
	one            // --option VALUE or --option=VALUE
	optional       // --option [VALUE]
	many           // --option VALUE..., up to the next option
)

// arityOf returns how many words an option takes. An unknown option takes a following
// word that is not an option: read as a path it would be another command.
func arityOf(name string) arity {
	switch name {
	case "allow-failure", "always-use-create-2-factory", "ast", "build-info", "celo", "debug", "decode-internal", "detailed",
		"disable-block-gas-limit", "disable-labels", "dynamic-test-linking", "enable-tx-gas-limit", "fail-fast", "ffi",
		"flamechart", "flamegraph", "force", "gas-report", "hardhat", "help", "insecure", "isolate", "json", "junit", "list",
		"live-logs", "md", "no-auto-detect", "no-cache", "no-metadata", "no-proxy", "no-restart", "no-rpc-rate-limit",
		"no-storage-caching", "offline", "quiet", "rerun", "rerun-failed", "run-all", "show-progress", "summary",
		"suppress-successful-traces", "use-literal-content", "verbosity", "version", "via-ir":
		return none
	case "optimize":
		return optional
	case "extra-output", "extra-output-files", "ignored-error-codes", "skip", "watch":
		return many
	case "":
		return none
	}
	if takesValue(name) {
		return one
	}
	return optional
}

// takesValue reports whether an option takes exactly one word, whatever it looks like.
func takesValue(name string) bool {
	switch name {
	case "block-base-fee-per-gas", "block-coinbase", "block-difficulty", "block-gas-limit", "block-number", "block-prevrandao",
		"block-timestamp", "build-info-path", "cache-path", "chain", "code-size-limit", "color", "compute-units-per-second",
		"config-path", "contracts", "create2-deployer", "deny", "dump", "etherscan-api-key", "evm-version", "fork-block-number",
		"fork-retries", "fork-retry-backoff", "fuzz-input-file", "fuzz-runs", "fuzz-seed", "fuzz-timeout", "gas-price",
		"gas-snapshot-check", "gas-snapshot-emit", "initial-balance", "lib-paths", "libraries", "match-contract", "match-path",
		"match-test", "memory-limit", "network", "no-match-contract", "no-match-coverage", "no-match-path", "no-match-test",
		"optimizer-runs", "out", "remappings", "remappings-env", "revert-strings", "root", "rpc-timeout", "rpc-url", "sender",
		"threads", "trace-depth", "tx-origin", "use", "watch-delay":
		return true
	}
	return false
}

// canonicalName returns the one name of an option that has several.
func canonicalName(name string) string {
	switch name {
	case "mt":
		return "match-test"
	case "nmt":
		return "no-match-test"
	case "mc":
		return "match-contract"
	case "nmc":
		return "no-match-contract"
	case "mp":
		return "match-path"
	case "nmp":
		return "no-match-path"
	case "nmco":
		return "no-match-coverage"
	case "hh":
		return "hardhat"
	case "jobs":
		return "threads"
	case "fork-url":
		return "rpc-url"
	case "chain-id":
		return "chain"
	case "base-fee":
		return "block-base-fee-per-gas"
	case "gas-limit":
		return "block-gas-limit"
	case "no-rate-limit":
		return "no-rpc-rate-limit"
	case "no-block-gas-limit", "no-gas-limit":
		return "disable-block-gas-limit"
	case "tx-gas-limit":
		return "enable-tx-gas-limit"
	}
	return name
}

// letterOption returns the name of a one-letter option; empty if unknown.
func letterOption(c byte) string {
	switch c {
	case 'C':
		return "contracts"
	case 'D':
		return "deny"
	case 'R':
		return "remappings"
	case 'h':
		return "help"
	case 'j':
		return "threads"
	case 'k':
		return "insecure"
	case 'l':
		return "list"
	case 'n':
		return "network"
	case 'o':
		return "out"
	case 'q':
		return "quiet"
	case 'r':
		return "rpc-url"
	case 's':
		return "suppress-successful-traces"
	case 'v':
		return "verbosity"
	case 'w':
		return "watch"
	}
	return ""
}
