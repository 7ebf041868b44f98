// Package config reads what a project says about proctor itself, in the file
// .proctor.toml in the root of its workspace, and what users say in their own
// config.toml about how tests are run.
//
// The project's file is not trusted. So it is bounded, never read through a link, and
// nothing in it is executed; callers check its arguments for a runner before they use
// them. Any mistake in it is an [*Error]; none silently becomes a default.
//
// It does not act on what it reads, nor does it handle flags, environment
// variables or the configuration of a language's own tools.
package config
