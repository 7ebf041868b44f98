package query

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestAHunkHasTheChangeAndEnoughContextToBeUnique(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing":                 {"a\nb\n", "a\nb\n", ""},
		"a line":                  {"a\nb\nc\n", "a\nx\nc\n", "2: -b +x"},
		"a line more":             {"a\nb\n", "a\nx\nb\n", "2: +x"},
		"a line less":             {"a\nb\nc\n", "a\nc\n", "2:  a -b  c"},
		"the first line less":     {"a\nb\n", "b\n", "1: -a  b"},
		"the last line less":      {"a\nb\n", "a\n", "2:  a -b"},
		"one of several alike":    {"f\n}\ng\n}\n", "f\n}\ng\n}\n}\n", "5:  } +}"},
		"two places":              {"a\nb\nc\nd\ne\n", "x\nb\nc\nd\ny\n", "1: -a +x|5: -e +y"},
		"two with a line between": {"f\nx\ng\ny\nh\n", "f\ng\nh\n", "2:  f -x  g -y  h"},
		"one near another":        {"p\nq\np\nprintln()\nq\n_=1\n", "p\nq\np\nq\nt.Error()\n_=1\n", "4:  q  p -println()  q +t.Error()"},
		"another end of a line":   {"a\r\nb\n", "a\nb\n", ""},
		"a new file":              {"", "a\n", "1: +a"},
		"a file less":             {"a\nb\n", "", "1: -a -b"},
	} {
		var got []string
		for _, h := range findHunks([]byte(c.before), []byte(c.after)) {
			got = append(got, string(rune('0'+h.Line))+": "+strings.Join(h.Lines, " "))
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
	long := strings.Repeat("x\n", 3*maxHunkLines)
	if h := findHunks(nil, []byte(long)); len(h) != 1 || len(h[0].Lines) != maxHunkLines || h[0].More != 2*maxHunkLines {
		t.Errorf("a long one: %+v", h)
	}
}

// What changed, put into the old text, makes the new one.
func TestHunksMakeTheNewTextOfTheOld(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		lines := make([]string, r.IntN(10))
		for i := range lines {
			lines[i] = string(rune('a' + r.IntN(4)))
		}
		return lines
	}
	join := func(lines []string) []byte {
		if len(lines) == 0 {
			return nil
		}
		return []byte(strings.Join(lines, "\n") + "\n")
	}
	for range 2000 {
		before, after := text(), text()
		patched := slices.Clone(before)
		for _, h := range findHunks(join(before), join(after)) {
			at := h.Line - 1 - slices.IndexFunc(h.Lines, func(l string) bool { return l[0] != ' ' })
			for _, l := range h.Lines {
				switch mark, text := l[0], l[1:]; {
				case mark == '+':
					patched = slices.Insert(patched, at, text)
					at++
				case mark == ' ' && at < len(patched) && patched[at] == text:
					at++
				case mark == ' ':
					t.Fatalf("%q to %q: %+v has %q as unchanged in %q", before, after, h, text, patched)
				case at < len(patched) && patched[at] == text:
					patched = slices.Delete(patched, at, at+1)
				default:
					t.Fatalf("%q to %q: %+v does not fit %q", before, after, h, patched)
				}
			}
		}
		if !slices.Equal(patched, after) {
			t.Fatalf("%q to %q: the hunks make %q", before, after, patched)
		}
	}
}
