package trace

import (
	"fmt"
	"strings"
	"testing"
)

// listener wants everything except what is under "skip", and writes down what it
// receives.
type listener struct {
	heard strings.Builder
}

func (l *listener) begin(key []byte, s shape) (wish, int) {
	fmt.Fprintf(&l.heard, "%s ", key)
	switch {
	case string(key) == "skip":
		return skip, 0
	case string(key) == "long":
		return measure, 0
	case s == object || s == array:
		l.heard.WriteString("( ")
		return enter, 0
	}
	return take, 8
}

func (l *listener) piece(b []byte)           { l.heard.Write(b) }
func (l *listener) value(b []byte, cut bool) { fmt.Fprintf(&l.heard, "=%s %t ", b, cut) }
func (l *listener) leave()                   { l.heard.WriteString(") ") }
func (l *listener) canSkipRest() bool        { return false }
func (l *listener) reset()                   { l.heard.WriteString(". ") }

func TestLexerPassesOnWhatIsWanted(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                ". ",
		`{"a":1}`:                           "a =1 false . ",
		`{ "a" : "b\"}" , "c":null }`:       `a =b\"} false c =null false . `,
		`{"a":[1,{"b":true},[]]}`:           "a (  =1 false  ( b =true false )  ( ) ) . ",
		`{"a":"0123456789"}`:                "a =01234567 true . ",
		`{"long":"0123456789"}`:             "long 0123456789= false . ",
		`{"skip":{"x":["]\"}",{}]},"a":-1}`: "skip a =-1 false . ",
		`{"skip":"` + strings.Repeat(`x\"`, 600) + `","a":2}`: "skip a =2 false . ",
		`{"skip":12,"a":2}`:               "skip a =2 false . ",
		"text {\"a\":1}\n{\"a\":1}":       "a =1 false . ",
		"{\"a\":\n{\"b\":1}":              ". b =1 false . ",
		"{\"a\":{\"b\n{\"b\":1}":          "a ( . b =1 false . ",
		"{\"skip\":[{\n{\"b\":1}":         "skip . b =1 false . ",
		`{"a":1]`:                         "a =1 false . ",
		`{"a" 1}`:                         ". ",
		`{,}`:                             ". ",
		`{"a":1,}`:                        "a =1 false . ",
		`{"a":[1,]}`:                      "a (  =1 false . ",
		`{"a":}`:                          ". ",
		`{"a":` + strings.Repeat("[", 50): "a ( " + strings.Repeat(" ( ", maxLevels-1) + ". ",
		`[1]`:                             "",
		`{"a":1} {"b":2}`:                 "a =1 false . ",
	} {
		for _, n := range []int{1, 3, len(text)} {
			l := &listener{}
			lex := &lexer{to: l}
			for rest := text; rest != ""; rest = rest[min(n, len(rest)):] {
				lex.feed([]byte(rest[:min(n, len(rest))]))
			}
			if got := l.heard.String(); got != want {
				t.Errorf("%.60s by %d: %q, want %q", text, n, got, want)
			}
		}
	}
}
