package report_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/sdk"
)

// browser is a Chromium driven by .ci/browser.mjs.
type browser struct {
	*nodeProgram
	dir string
}

// seen is what a page answered and did.
type seen struct {
	Value                       json.RawMessage
	Error                       string
	Requests, Dialogs, Messages []string
}

// newBrowser starts Chromium.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	needs.WholeSuite(t)
	modules := needs.Installed(t, "browser")
	var chromium string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && chromium == "" {
			chromium = path
		}
	}
	if chromium == "" {
		needs.Missing(t, "there is no Chromium in PATH: apt-get install chromium")
	}
	return &browser{startNode(t, "browser.mjs", modules, chromium, t.TempDir()), t.TempDir()}
}

// open opens a page from its file and runs code there.
func (b *browser) open(page string, options map[string]any, code string) seen {
	b.t.Helper()
	file := filepath.Join(b.dir, "report.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		b.t.Fatal(err)
	}
	var s seen
	b.ask(map[string]any{"options": options, "code": "await page.goto(" + string(quoted("file://"+file)) + ");\n" + code}, &s)
	if s.Error != "" {
		b.t.Fatalf("%s %v", s.Error, s.Messages)
	}
	for _, r := range s.Requests {
		if !strings.HasPrefix(r, "file://"+file) && !strings.HasPrefix(r, "data:") {
			b.t.Errorf("the page loads %s", r)
		}
	}
	if len(s.Dialogs)+len(s.Messages) > 0 {
		b.t.Errorf("the page says %v %v", s.Dialogs, s.Messages)
	}
	return s
}

func quoted(text string) []byte { q, _ := json.Marshal(text); return q }

func (s seen) equals(t *testing.T, want string) {
	t.Helper()
	if got := string(s.Value); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// withBackground has a past, sources and changed lines.
func withBackground() report.Options {
	return report.Options{Background: func(run api.Run, tests []sdk.TestID) report.Background {
		b := report.Background{Past: map[sdk.TestID]api.Past{}, Changed: &api.ChangedLines{SinceRunID: "a1", Total: 1, Hunks: []api.Hunk{{File: "a.go", Line: 1, Lines: []string{"-a", "+b"}}}}}
		for _, t := range tests {
			b.Past[t] = api.Past{Strip: api.Strip{{Status: sdk.Passed}, {Status: sdk.Failed, Changed: true}, {Status: sdk.Failed, Flaky: true}, {Status: sdk.Skipped}}, UsualS: 0.001}
		}
		if len(run.Failures) > 0 {
			b.Excerpts = []api.Excerpt{{File: run.Failures[0].File, Line: 10, Lines: []string{"func f() {", "\treturn " + strings.Repeat("x", 300)}}}
		}
		return b
	}}
}

func TestAPageInABrowser(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	red := pageOf(t, withBackground(), redRun(5000, strings.Repeat("some output\n", 50)))
	green := pageOf(t, report.Options{}, api.RunFinished{Run: api.Run{RunID: "aa", Language: "go", State: api.StateFinished, Verdict: api.Passed, Reason: "3 tests passed", Workspace: "/src/shop"}})
	stopped := pageOf(t, report.Options{}, api.RunFinished{Run: api.Run{
		RunID: "aa", Language: "go", State: api.StateFinished, Verdict: api.Incomplete, Reason: "1 test never started",
		Counts: api.Counts{NeverStarted: 1}, NeverStarted: []sdk.TestID{{Suite: "s", Test: "T"}},
	}})

	// The names of passed tests are text, not elements of their own.
	b.open(red, nil, `return [0, await page.title(), await page.locator('.cause[open]').count(), (await page.evaluate(() => document.querySelectorAll('*').length)) < 4000, await page.locator('.alike[open]').count()].slice(1)`).
		equals(t, `["✗ FAILED 40 tests, 2 causes · shop",2,true,0]`)
	short := pageOf(t, withBackground(), redRun(300, strings.Repeat("some output\n", 50)))
	for name, page := range map[string]string{"red": short, "green": green, "stopped": stopped, "hostile": pageOf(t, withBackground(), hostileRun())} {
		for _, scheme := range []string{"light", "dark"} {
			s := b.open(page, map[string]any{"colorScheme": scheme}, `return await axe()`)
			if string(s.Value) != "[]" {
				t.Errorf("%s, %s: %s", name, scheme, s.Value)
			}
		}
		b.open(page, map[string]any{"viewport": map[string]int{"width": 390, "height": 844}, "isMobile": true},
			`await page.evaluate(() => document.querySelectorAll('details').forEach(d => d.open = true));
			return await page.evaluate(() => document.documentElement.scrollWidth)`).equals(t, "390")
	}
	// A page folds and unfolds even without its script.
	b.open(red, map[string]any{"javaScriptEnabled": false}, `await page.locator('.suite summary').last().click();
		return [await page.locator('.suite').last().getByText('TestCase49OfArea').isVisible(), await page.locator('.find').isVisible(), await page.locator('nav button').count()]`).
		equals(t, `[true,false,0]`)
	b.open(red, nil, `const at = () => page.evaluate(() => location.hash), out = [];
		await page.keyboard.press('j'); await page.keyboard.press('j'); await page.keyboard.press('k'); await page.keyboard.press('o');
		out.push(await page.locator('.cause.now .output[open]').count() > 0);
		await page.keyboard.press('1');
		await page.waitForFunction(() => document.querySelectorAll('main > section:not([hidden])').length === 1);
		out.push(await at(), await page.locator('main > section:visible').count());
		await page.goBack(); out.push(await at());
		await page.keyboard.press('/'); await page.keyboard.type('case07 area00j?');
		await page.locator('.find output', {hasText: 'of'}).waitFor();
		out.push(await page.locator('dialog[open]').count());
		await page.locator('.find input').fill('case07 area00');
		await page.locator('.find output', {hasText: /^\d+ of 5,000/}).waitFor();
		await page.waitForFunction(() => location.hash === '#find=case07%20area00');
		out.push(await page.locator('.found li').count());
		await page.reload(); out.push(await page.locator('.found li').count());
		await page.keyboard.press('Escape'); await page.keyboard.press('?'); out.push(await page.locator('dialog[open]').count());
		return out`).equals(t, `[true,"#failed",1,"",0,10,10,1]`)
	b.open(red, map[string]any{"colorScheme": "light"}, `const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor === 'rgb(13, 17, 23)');
		const before = await dark(); await page.getByText('colors:').click(); await page.getByText('colors:').click(); return [before, await dark()]`).
		equals(t, `[false,true]`)
	s := b.open(red, nil, `return (await page.pdf({format: 'A4'})).toString('latin1').split('/Type /Page\n').length - 1`)
	if n := string(s.Value); n != "1" && n != "2" {
		t.Errorf("printed on %s pages", n)
	}
	// What a browser fetches by itself or on a click stays with the file.
	b.open(pageOf(t, withBackground(), hostileRun()), nil, `await page.evaluate(() => document.querySelectorAll('details').forEach(d => d.open = true));
		return await page.evaluate(() => [...document.querySelectorAll('[href], [src]')].filter(e => e.localName !== 'link' && !e.getAttribute('href').startsWith('#')).length +
			[...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length)`).equals(t, "0")
}
