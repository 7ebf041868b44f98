// Package settings reads what decides about a run beside its sources: the
// output of `forge config --json` and `forge --version`, which the host asks for
// as probes, the options of the command, and the .env file of the project.
//
// It runs nothing and refuses nothing. Where a probe is missing or failed it
// supplies forge's defaults: forge says itself what is wrong with a
// configuration.
package settings
