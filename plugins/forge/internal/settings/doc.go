// Package settings reads what affects a run besides its sources: the output of `forge
// config --json` and `forge --version`, which the host asks for as probes, the options
// of the command, and the .env file of the project.
//
// It runs nothing and rejects nothing. If a probe is missing or failed, forge's
// defaults are used: forge itself reports what is wrong with a configuration.
package settings
