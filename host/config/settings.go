package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// setting is one key of a file.
type setting struct {
	name string
	// take sets a valid value; ok reports whether it is valid. allowed describes valid
	// values.
	take    func(c *Config, value any) (ok bool)
	allowed string
	// only is the kind of file that has the key, and because says why; empty means any.
	only    kind
	because string
}

// kind is whose file it is.
type kind string

const (
	anyone   kind = ""
	projects kind = "the project's"
	users    kind = "the user's own"
)

// table is one table of a file.
type table struct {
	// name is the path of the table; empty stands for the keys before all tables.
	name     []string
	settings []setting
}

// topLevel returns the keys before all tables.
func topLevel() table {
	return table{nil, []setting{{
		name: "env", take: texts(variable.MatchString, func(c *Config, names []string) { c.Env = names }),
		allowed: `a list of at most 100 names of variables in quotes, of which each may end in *, such as ["CI_NODE", "FEATURE_*"]`,
	}}}
}

var (
	variable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)
	// language is what a table of [run] can be called.
	language = lazyregexp.New(`^[a-z][a-z0-9-]*$`)
)

// tables returns all tables. The upper bounds reject typos and keep sums from
// overflowing.
func tables() []table {
	return []table{{[]string{"history"}, []setting{
		whole("runs", 1, 1_000_000, func(c *Config, n int) { c.History.Runs = n }),
		whole("days", 1, 36_500, func(c *Config, n int) { c.History.Age = time.Duration(n) * day }),
		size("size", megabyte, 1000*gigabyte, func(c *Config, n int64) { c.History.Bytes = n }),
		whole("entries", 1, 1_000_000, func(c *Config, n int) { c.History.Entries = n }),
	}}, {[]string{"mcp"}, []setting{
		choice("default_output", func(c *Config, text string) { c.MCP.RawOutput = text == "raw" }, "summary", "raw"),
	}}, {[]string{"session"}, []setting{
		whole("hours", 1, 8760, func(c *Config, n int) { c.Session.Idle = time.Duration(n) * time.Hour }),
	}}}
}

// maxDuration bounds times.
const maxDuration = 1000 * time.Hour

// maxArg bounds one argument for a runner, in bytes.
const maxArg = 1000

// options returns the keys that say how tests are run, of all languages or of one. at is
// where arguments are given.
func options(at Args, change func(*Config, func(*Options))) []setting {
	set := func(c *Config, give func(*Options)) bool { change(c, give); return true }
	return []setting{
		yesNo("cover", func(c *Config, yes bool) { set(c, func(o *Options) { o.Cover = &yes }) }),
		{
			name: "args", allowed: `a list of at most 100 arguments in quotes, such as ["-race", "-tags=integration"]`,
			take: texts(func(word string) bool { return word != "" && len(word) <= maxArg && !strings.ContainsRune(word, 0) }, func(c *Config, words []string) {
				set(c, func(o *Options) { at.Words = words; o.Args = &at })
			}),
		},
		duration("timeout", func(c *Config, d time.Duration) { set(c, func(o *Options) { o.Timeout = &d }) }),
		whole("retries", 0, 100, func(c *Config, n int) { set(c, func(o *Options) { o.Retries = &n }) }),
		whole("retry-limit", 1, 1_000_000, func(c *Config, n int) { set(c, func(o *Options) { o.RetryLimit = &n }) }),
		onlyIn(projects, "it decides verdicts, which must be the same for everybody",
			choice("flaky", func(c *Config, text string) {
				set(c, func(o *Options) { passes := text == "pass"; o.FlakyPasses = &passes })
			}, "fail", "pass")),
		yesNo("cached", func(c *Config, yes bool) { set(c, func(o *Options) { o.Cached = &yes }) }),
		duration("slow", func(c *Config, d time.Duration) { set(c, func(o *Options) { o.Slow = &d }) }),
	}
}

// runTable returns the table of runs, of all languages or of one.
func (r *reader) runTable(of func(*Config) *Runs, name string) table {
	if name != "" {
		return table{[]string{"run", name}, options(r.place("run", name, "args"), func(c *Config, give func(*Options)) {
			runs := of(c)
			if runs.In == nil {
				runs.In = map[string]Options{}
			}
			o := runs.In[name]
			give(&o)
			runs.In[name] = o
		})}
	}
	return table{[]string{"run"}, append(options(r.place("run", "args"), func(c *Config, give func(*Options)) { give(&of(c).All) }),
		// The formats for programs can only be requested by commands.
		choice("format", func(c *Config, text string) { of(c).All.Format = text }, "default", "pkgname", "testname", "dots", "testdox", "quiet", "github"),
		onlyIn(users, "a project's file executes nothing", setting{
			name: "post-run-command", allowed: "a command in quotes",
			take: func(c *Config, value any) bool {
				text, isText := value.(string)
				of(c).All.PostRunCommand = text
				return isText && strings.TrimSpace(text) != "" && !strings.ContainsRune(text, 0)
			},
		}))}
}

// place returns where arguments are given.
func (r *reader) place(key ...string) Args {
	return Args{File: r.file, Line: lineAt(r.data, r.offsets[pathOf(key...)]), Personal: r.of == users}
}

func onlyIn(only kind, because string, s setting) setting {
	s.only, s.because = only, because
	return s
}

func whole(name string, least, most int, set func(*Config, int)) setting {
	return setting{name: name, allowed: fmt.Sprintf("a whole number from %d to %d", least, most), take: func(c *Config, value any) bool {
		n, ok := value.(int64)
		if ok = ok && n >= int64(least) && n <= int64(most); ok {
			set(c, int(n))
		}
		return ok
	}}
}

func size(name string, least, most int64, set func(*Config, int64)) setting {
	return setting{
		name:    name,
		allowed: fmt.Sprintf(`a number of bytes, or one with KB, MB, GB, KiB, MiB or GiB in quotes, such as "500MB": from %s to %s`, sizeText(least), sizeText(most)),
		take: func(c *Config, value any) bool {
			n, ok := value.(int64)
			if text, isText := value.(string); isText {
				n, ok = parseSize(text)
			}
			if ok = ok && n >= least && n <= most; ok {
				set(c, n)
			}
			return ok
		},
	}
}

func choice(name string, choose func(*Config, string), choices ...string) setting {
	return setting{name: name, allowed: "one of " + strings.Join(choices, ", ") + ", in quotes", take: func(c *Config, value any) bool {
		text, _ := value.(string)
		ok := slices.Contains(choices, text)
		if ok {
			choose(c, text)
		}
		return ok
	}}
}

func yesNo(name string, decide func(*Config, bool)) setting {
	return setting{name: name, allowed: "true or false, without quotes", take: func(c *Config, value any) bool {
		yes, ok := value.(bool)
		if ok {
			decide(c, yes)
		}
		return ok
	}}
}

func duration(name string, set func(*Config, time.Duration)) setting {
	return setting{name: name, allowed: `a time in quotes, such as "90m" or "1h30m", up to "1000h"; "0" is none`, take: func(c *Config, value any) bool {
		text, _ := value.(string)
		d, err := time.ParseDuration(text)
		ok := err == nil && d >= 0 && d <= maxDuration
		if ok {
			set(c, d)
		}
		return ok
	}}
}

// maxTexts bounds the length of a list.
const maxTexts = 100

// texts takes a list of valid texts.
func texts(isValid func(string) bool, set func(*Config, []string)) func(*Config, any) bool {
	return func(c *Config, value any) bool {
		list, ok := value.([]any)
		words := []string{}
		for _, element := range list {
			text, isText := element.(string)
			ok = ok && isText && isValid(text)
			words = append(words, text)
		}
		if ok = ok && len(words) <= maxTexts; ok {
			set(c, words)
		}
		return ok
	}
}
