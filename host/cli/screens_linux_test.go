package cli

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/golden"
)

// screened is a story as a terminal shows it at its end: the golden files show each in a
// large terminal and in a small one.
type screened struct {
	sources files
	args    []string
	// awaits is what the screen shows during the run; empty is nothing.
	awaits string
	// interrupted reports whether Ctrl-C is pressed then.
	interrupted bool
	code        int
}

func screens() map[string]screened {
	const cart = "package cart\n\nfunc Total(prices ...int) (sum int) {\n\tfor _, p := range prices[1:] {\n\t\tsum += p\n\t}\n\treturn sum\n}\n"
	const test = `package cart

import "testing"

func TestTotal(t *testing.T) {
	for _, c := range []struct {
		name   string
		prices []int
		want   int
	}{
		{"none left out", []int{0, 2, 3}, 5},
		{"one price", []int{5}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Total(c.prices...); got != c.want {
				t.Errorf("Total(%v) = %d, want %d", c.prices, got, c.want)
			}
		})
	}
}

func TestEmpty(t *testing.T) { t.Skip("no empty carts yet") }
`
	orders := "package orders\n\nimport \"testing\"\n\nfunc open(t *testing.T) {\n\tt.Helper()\n\tt.Fatal(\"open database: dial tcp 127.0.0.1:5432: connect: connection refused\")\n}\n"
	for i := range 40 {
		orders += fmt.Sprintf("\nfunc TestOrder%02d(t *testing.T) { open(t) }\n", i)
	}
	const page = "package page\n\nimport \"testing\"\n\nfunc TestPage(t *testing.T) {\n\tgot, want := \"<ul>\\n<li>one\\n<li>three\\n</ul>\", \"<ul>\\n<li>one\\n<li>two\\n</ul>\"\n\tif got != want {\n\t\tt.Errorf(\"got:\\n%s\\nwant:\\n%s\", got, want)\n\t}\n}\n"
	const hang = "package queue\n\nimport \"testing\"\n\nfunc TestPush(t *testing.T) {}\n\nfunc TestPop(t *testing.T) { select {} }\n\nfunc TestClose(t *testing.T) {}\n"
	green := files{"cart/cart.go": strings.Replace(cart, "prices[1:]", "prices", 1), "cart/cart_test.go": test}
	red := files{"cart/cart.go": cart, "cart/cart_test.go": test}
	ticking := strings.Replace(hang, "select {}", "for { time.Sleep(time.Second) }", 1)
	ticking = strings.Replace(ticking, `import "testing"`, "import (\n\t\"testing\"\n\t\"time\"\n)", 1)
	return map[string]screened{
		"green":   {sources: green},
		"failure": {sources: red, code: 1},
		"alike":   {sources: files{"orders/orders_test.go": orders, "cart/cart.go": green["cart/cart.go"], "cart/cart_test.go": test}, code: 1},
		"build":   {sources: files{"cart/cart.go": strings.Replace(cart, "return sum", "return summe", 1), "cart/cart_test.go": test, "page/page_test.go": page}, code: 1},
		"hang":    {sources: files{"queue/queue_test.go": ticking}, args: []string{"--timeout", "20s"}, awaits: "TestPop", code: exitTimedOut},
		"stopped": {sources: files{"queue/queue_test.go": ticking, "cart/cart.go": red["cart/cart.go"], "cart/cart_test.go": test}, awaits: "TestPop", interrupted: true, code: exitInterrupted},
	}
}

// changing is what differs from run to run: times, and names of runs.
var changing = regexp.MustCompile(`[0-9]+(\.[0-9]+)?s\b|run [a-z0-9]{10}`)

// gap is what separates a line from the remark at its right.
var gap = regexp.MustCompile(`(\S) {3,}(\S)`)

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, story := range screens() {
		for _, size := range []struct{ columns, rows int }{{100, 30}, {60, 20}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.columns, size.rows), func(t *testing.T) {
				t.Parallel()
				w := newModule(t, story.sources)
				w.setenv("TERM=xterm-256color")
				if slices.Contains(story.args, "--timeout") {
					// The time limit includes compiling, and go's own must be the first to be over.
					compile := exec.Command("go", "test", "-run=^$", "./...")
					compile.Dir, compile.Env = w.dir, w.env
					w.wait(compile).expect(t, 0)
				}
				term := openTerminal(t, size.columns, size.rows, w.command(append([]string{"run"}, story.args...)...))
				if story.awaits != "" {
					term.showing(story.awaits)
				}
				if story.interrupted {
					term.showing("✗ cart", "1 package done")
					term.press("\x03")
				}
				if code := term.end(); code != story.code {
					t.Errorf("exit code %d, want %d", code, story.code)
				}
				screen := changing.ReplaceAllStringFunc(term.screen(), func(s string) string {
					if strings.HasPrefix(s, "run") {
						return "run RUN"
					}
					return "TIME"
				})
				screen = gap.ReplaceAllString(screen, "$1  $2") // its width depends on a time
				for line := range strings.Lines(screen) {
					if len([]rune(line)) > size.columns+1 {
						t.Errorf("wider than the terminal: %s", line)
					}
				}
				golden.Compare(t, fmt.Sprintf("testdata/screens/%s-%d.txt", name, size.columns), screen+"\n")
			})
		}
	}
}
