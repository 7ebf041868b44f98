package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
)

// Panel is a pair of axes with curves.
type Panel struct {
	Title string
	// X and Y label the axes.
	X, Y   string
	Curves []Curve
}

// Curve holds the measurements of one program.
type Curve struct {
	Name   string
	Points []Point
}

// Point is a measurement; both numbers are positive.
type Point struct{ X, Y float64 }

// Sizes in pixels: of a panel, and of its margins for the texts.
const (
	width, height            = 420, 320
	left, right, top, bottom = 64, 16, 36, 48
)

// colors can be told apart by the color-blind, on white and on black.
var colors = [...]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7"}

// perRow is how many panels stand side by side.
const perRow = 4

// Draw writes the panels in rows.
func Draw(w io.Writer, panels []Panel) error {
	e := &errWriter{w: w}
	e.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width*min(len(panels), perRow)+right, height*((len(panels)+perRow-1)/perRow))
	e.printf("<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n")
	for i, p := range panels {
		e.printf("<g transform=\"translate(%d %d)\">\n", i%perRow*width, i/perRow*height)
		p.draw(e)
		e.printf("</g>\n")
	}
	e.printf("</svg>\n")
	return e.err
}

func (p Panel) draw(e *errWriter) {
	x := axisOf(p.Curves, func(q Point) float64 { return q.X }, left, width-right)
	y := axisOf(p.Curves, func(q Point) float64 { return q.Y }, height-bottom, top)
	e.text(width/2, 20, "middle", p.Title)
	e.text((left+width-right)/2, height-10, "middle", p.X)
	e.text(left, top-4, "end", p.Y)
	for d := x.first; d <= x.last; d++ {
		at := x.place(math.Pow10(d))
		e.line(at, top, at, height-bottom, "#cccccc")
		e.text(at, height-bottom+16, "middle", number(d))
	}
	for d := y.first; d <= y.last; d++ {
		at := y.place(math.Pow10(d))
		e.line(left, at, width-right, at, "#cccccc")
		e.text(left-6, at+4, "end", number(d))
	}
	for i, c := range p.Curves {
		color := colors[i%len(colors)]
		e.printf(`<polyline fill="none" stroke="%s" stroke-width="2" points="`, color)
		for _, q := range c.Points {
			e.printf("%.1f,%.1f ", x.place(q.X), y.place(q.Y))
		}
		e.printf("\"/>\n")
		for _, q := range c.Points {
			e.printf(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x.place(q.X), y.place(q.Y), color)
		}
		e.printf(`<text x="%d" y="%d" fill="%s">%s</text>`+"\n", left+8, top+16+16*i, color, html.EscapeString(c.Name))
	}
}

// axis maps numbers to pixels, from one power of ten to another.
type axis struct {
	first, last int
	from, to    float64
}

func axisOf(curves []Curve, of func(Point) float64, from, to float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, q := range c.Points {
			low, high = min(low, of(q)), max(high, of(q))
		}
	}
	if low > high {
		low, high = 1, 10
	}
	a := axis{first: int(math.Floor(math.Log10(low))), last: int(math.Ceil(math.Log10(high))), from: from, to: to}
	a.last = max(a.last, a.first+1)
	return a
}

func (a axis) place(n float64) float64 {
	return a.from + (a.to-a.from)*(math.Log10(n)-float64(a.first))/float64(a.last-a.first)
}

// number formats a power of ten.
func number(power int) string { return strconv.FormatFloat(math.Pow10(power), 'f', max(0, -power), 64) }

// errWriter remembers the first error.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

func (e *errWriter) text(x, y float64, anchor, s string) {
	e.printf(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(s))
}

func (e *errWriter) line(x1, y1, x2, y2 float64, color string) {
	e.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`+"\n", x1, y1, x2, y2, color)
}
