// Package arguments creates the JSON Schema of a tool's parameters, and interprets the
// arguments of its calls leniently: it accepts whatever has only one plausible meaning.
package arguments
