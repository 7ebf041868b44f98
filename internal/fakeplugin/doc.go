// Package fakeplugin lets a test binary act as plugins of made-up languages that do what a
// script says. Each finds its workspaces by go.mod, and its language has the same name.
//
// Plugins that break the protocol are in sdk/plugintest/internal/brokenplugin.
package fakeplugin
