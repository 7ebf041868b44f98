package sdk

// ProtocolVersion is the major version of the detector protocol, negotiated by
// go-plugin. Minor additions are distinguished by capabilities, not by a number.
const ProtocolVersion = 1

// PluginName is the name under which go-plugin dispenses a detector.
const PluginName = "detector"

// EnvCookie set to Cookie tells a plugin that a proctor host started it, and not a person.
// It is a courtesy, not a protection.
const (
	EnvCookie = "PROCTOR_PLUGIN"
	Cookie    = "proctor-detector"
)

// EnvLifeline set to LifelineStdin means that the host holds the plugin's standard
// input open while it lives: the plugin exits at its end, so that a killed host leaves
// no plugin behind. It is a variable because under any other launcher standard input
// may be at its end from the start.
const (
	EnvLifeline   = "PROCTOR_LIFELINE"
	LifelineStdin = "stdin"
)

// EnvLogLevel names the least severe level that the logger of package server lets through.
const EnvLogLevel = "PROCTOR_PLUGIN_LOG"
