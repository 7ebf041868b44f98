// Package settings reads what affects a run besides its sources: the output of `forge
// config --json` and `forge --version`, which the host asks for as probes, the options
// of the command, and the .env file of the project.
//
// It runs nothing and refuses nothing. Where a probe is missing or failed it supplies
// forge's defaults: forge itself says what is wrong with a configuration.
package settings
