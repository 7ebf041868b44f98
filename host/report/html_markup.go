package report

import (
	"bufio"
	"html"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/prose"
)

// markup is HTML of our own. Only a constant of this package becomes markup without a
// conversion, so that whatever comes from a run is text, and escaped. There is no
// template: html/template would cost each start of proctor, whatever it does, and make
// the binary larger.
type markup string

// markupWriter writes a page. An error stays with the writer, which then writes nothing
// more.
type markupWriter struct{ out *bufio.Writer }

// put writes markup with each % replaced by the next of the arguments: numbers, markup,
// or text, which is escaped and made safe to show. In a tag, a % stands between quotes.
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

// escape returns text as markup for the content of an element or between quotes.
// Control characters, escape sequences and what reorders text are gone.
func escape(text string) string { return html.EscapeString(prose.Plain(text)) }
