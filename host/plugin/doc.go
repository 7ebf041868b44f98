// Package plugin finds, starts, supervises and stops detector plugins.
//
// A plugin is a process that speaks gRPC through hashicorp/go-plugin. It is a
// translator: it composes commands and reads output. Here it gets an empty
// working directory, a short environment, a private socket directory and its
// own process group that ends when proctor ends. Every call to it has a
// deadline, every answer is bounded and checked, and every fault becomes one of
// the error types of this package, which name the plugin, its version and the
// call.
//
// Read [Finder] for where plugins come from, [Start] and [Plugin] for their
// life, and fault.go for what can go wrong.
//
// It is crash isolation and not a sandbox: a plugin runs with the rights of the
// user. The package is not responsible for installing plugins, for executing
// the commands they compose, or for judging what they report.
package plugin
