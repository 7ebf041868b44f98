package config

import (
	"regexp"
	"time"
)

// setting is one key of the file.
type setting struct {
	name string
	// least and most bound the value.
	least, most int64
	// size reports whether it is a number of bytes, possibly with a unit.
	size bool
	set  func(*Config, int64)
	// choices are the valid texts, if it is not a number.
	choices []string
	choose  func(*Config, string)
	// decide takes a boolean, if it is neither.
	decide func(*Config, bool)
	// list takes a list of valid texts, if it is none of these.
	list  func(*Config, []string)
	valid *regexp.Regexp
}

// table is one table of the file.
type table struct {
	name     string
	settings []setting
}

// topLevel returns the keys before all tables.
func topLevel() table {
	return table{"", []setting{{
		name: "env", list: func(c *Config, names []string) { c.Env = names }, valid: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`),
	}}}
}

// tables returns all tables. The upper bounds keep a typo from being taken for intent,
// and sums from overflowing.
func tables() []table {
	return []table{{"history", []setting{
		{name: "runs", least: 1, most: 1_000_000, set: func(c *Config, n int64) { c.History.Runs = int(n) }},
		{name: "days", least: 1, most: 36_500, set: func(c *Config, n int64) { c.History.Age = time.Duration(n) * day }},
		{name: "size", least: megabyte, most: 1000 * gigabyte, size: true, set: func(c *Config, n int64) { c.History.Bytes = n }},
		{name: "entries", least: 1, most: 1_000_000, set: func(c *Config, n int64) { c.History.Entries = int(n) }},
	}}, {"mcp", []setting{
		{name: "default_output", choices: []string{"summary", "raw"}, choose: func(c *Config, text string) { c.MCP.RawOutput = text == "raw" }},
	}}, {"session", []setting{
		{name: "hours", least: 1, most: 8760, set: func(c *Config, n int64) { c.Session.Idle = time.Duration(n) * time.Hour }},
	}}, {"run", []setting{
		{name: "cover", decide: func(c *Config, yes bool) { c.Run.Cover = yes }},
	}}}
}
