package report

import (
	"bufio"
	"html"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
)

// markup is trusted HTML. Only constants become markup without a conversion, so whatever
// comes from a run stays text and is escaped. html/template is not used: it would slow down
// every start of proctor and enlarge the binary.
type markup string

// markupWriter writes a page. The writer keeps its first error, and then writes nothing
// more.
type markupWriter struct{ out *bufio.Writer }

// put writes markup with each % replaced by the next argument: a number, markup, or text,
// which is escaped and made safe to show. Within a tag, a % must stand between quotes.
func (w markupWriter) put(format markup, args ...any) {
	rest := string(format)
	for _, arg := range args {
		before, after, found := strings.Cut(rest, "%")
		if !found {
			panic("report: more arguments than places in " + string(format))
		}
		w.out.WriteString(before)
		rest = after
		switch arg := arg.(type) {
		case markup:
			w.out.WriteString(string(arg))
		case int:
			w.out.WriteString(strconv.Itoa(arg))
		case string:
			w.out.WriteString(escape(arg))
		default:
			panic("report: neither text nor markup nor a number")
		}
	}
	if strings.Contains(rest, "%") {
		panic("report: fewer arguments than places in " + string(format))
	}
	w.out.WriteString(rest)
}

// escape returns text as markup for the content of an element or a quoted attribute, without
// control characters, escape sequences and characters that reorder text.
func escape(text string) string { return html.EscapeString(prose.Plain(text)) }
