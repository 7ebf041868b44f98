// Package plugin finds, starts, supervises and stops detector plugins.
//
// A plugin is a process that speaks gRPC through hashicorp/go-plugin. It is a
// translator: it composes commands and reads output. It runs in an empty working
// directory with a short environment, a private socket directory and its own
// process group that ends when proctor ends. Every call to it has a deadline, every
// answer is bounded and checked, and every fault becomes one of the error types of
// this package, which name the plugin, its version and the call.
//
// Read [Finder] for where plugins come from, [Start] and [Plugin] for their
// life, and fault.go for what can go wrong.
//
// This isolates crashes but is not a sandbox: a plugin has the rights of the user.
// The package does not install plugins, execute the commands they compose, or judge
// what they report.
package plugin
