//go:build unix

package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// recallFixture is a fixture whose plugin has answered twice.
func recallFixture(t *testing.T, mode string) (f *fixture, cache, root string) {
	t.Helper()
	f = newFixture(t, mode)
	cache, root = filepath.Join(t.TempDir(), "cache"), t.TempDir()
	write(t, filepath.Join(root, "bad.mod"))
	for range 2 {
		p := f.recall(t, cache, root, later)
		if i := p.current; i.identity.Name != mode || len(i.line.recalled) > 0 {
			t.Errorf("recalled after fewer than two answers: %+v", i.line.recalled)
		}
		ask3(t, p, root)
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return f, cache, root
}

// recall starts the plugin with the answers of a directory.
func (f *fixture) recall(t *testing.T, cache, root string, now func() time.Time) *Plugin {
	t.Helper()
	config := f.config
	config.Answers = OpenAnswers(cache, root, now)
	p, err := Start(t.Context(), config)
	if err != nil {
		t.Fatalf("Start: %v\n%s", err, f.log)
	}
	return p
}

// ask3 asks what a run asks before it starts a command.
func ask3(t *testing.T, p *Plugin, root string) (sdk.Plan, error) {
	t.Helper()
	if d, err := p.Detect(t.Context(), sdk.Workspace{Root: root}); err != nil || !d.Detected {
		t.Errorf("Detect: %+v, %v", d, err)
	}
	return p.TestCmd(t.Context(), sdk.TestRequest{})
}

// answerOf returns the kept answer to a call.
func answerOf(t *testing.T, kept []answer, call string) *answer {
	t.Helper()
	for i := range kept {
		if strings.HasSuffix(kept[i].Call, "/"+call) {
			return &kept[i]
		}
	}
	t.Fatalf("no answer to %s is kept", call)
	return nil
}

// change rewrites the file of answers.
func change(t *testing.T, cache string, edit func(kept []answer)) {
	t.Helper()
	path := filepath.Join(cache, answersFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []answer
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	edit(kept)
	if raw, err = json.Marshal(kept); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A plugin that cannot start would give no answer: they come from the file.
func TestAnswersAreRecalledWhileThePluginStarts(t *testing.T) {
	f, cache, root := recallFixture(t, "good")
	f.config.StartTimeout = time.Nanosecond
	p := f.recall(t, cache, root, later)
	defer p.Close(t.Context())
	plan, err := ask3(t, p, root)
	if err != nil || len(plan.Commands) != 1 || plan.Commands[0].Argv[0] != "true" || p.Identity().Version != "1.2.3" {
		t.Errorf("%+v, %v", plan, err)
	}
	var outdated *OutdatedError
	if err := p.Confirm(t.Context()); !errors.As(err, &outdated) {
		t.Errorf("a plugin that did not start confirmed: %v", err)
	}
}

func TestAPluginConfirmsWhatWasRecalled(t *testing.T) {
	f, cache, root := recallFixture(t, "good")
	p := f.recall(t, cache, root, later)
	defer p.Close(t.Context())
	if _, err := ask3(t, p, root); err != nil {
		t.Error(err)
	}
	if err := p.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.current.line.conn == nil {
		t.Error("confirmed without a connection")
	}
	asked, err := p.TestCmd(t.Context(), sdk.TestRequest{RunnerArgs: []string{"-v"}})
	if err != nil || len(asked.Commands) != 1 {
		t.Errorf("a question that is not on record: %+v, %v", asked, err)
	}
}

// Nothing may be read by a plugin in whose place something else was answered.
func TestAnOutdatedAnswerIsFoundOut(t *testing.T) {
	for call, edit := range map[string]func(a *answer){
		"TestCmd":  func(a *answer) { a.Reply = []byte(strings.Replace(string(a.Reply), "true", "echo", 1)) },
		"Describe": func(a *answer) { a.Reply = []byte(strings.Replace(string(a.Reply), "1.2.3", "1.2.2", 1)) },
	} {
		t.Run(call, func(t *testing.T) {
			f, cache, root := recallFixture(t, "good")
			change(t, cache, func(kept []answer) { edit(answerOf(t, kept, call)) })
			p := f.recall(t, cache, root, later)
			plan, err := ask3(t, p, root)
			if err != nil || call == "TestCmd" && plan.Commands[0].Argv[0] != "echo" || call == "Describe" && p.Identity().Version != "1.2.2" {
				t.Errorf("not recalled: %+v, %v", plan, err)
			}
			var outdated *OutdatedError
			if err := p.Confirm(t.Context()); !errors.As(err, &outdated) || !p.Stopped() {
				t.Errorf("Confirm: %v", err)
			}
			if _, err := p.Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, &events{}); !errors.As(err, &outdated) {
				t.Errorf("Parse: %v", err)
			}
			if _, err := p.TestCmd(t.Context(), sdk.TestRequest{}); !errors.As(err, &outdated) {
				t.Errorf("it goes on: %v", err)
			}
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
			p = f.recall(t, cache, root, later)
			defer p.Close(t.Context())
			if plan, err := ask3(t, p, root); err != nil || plan.Commands[0].Argv[0] != "true" || p.Identity().Version != "1.2.3" {
				t.Errorf("then: %+v, %v", plan, err)
			}
		})
	}
}

// Whatever else is wrong with it, a plugin that was not asked has confirmed nothing, and must
// not be started again to answer for what was recalled.
func TestAnotherFaultDoesNotHideAnOutdatedAnswer(t *testing.T) {
	f, cache, root := recallFixture(t, "good")
	change(t, cache, func(kept []answer) {
		a := answerOf(t, kept, "TestCmd")
		a.Reply = []byte(strings.Replace(string(a.Reply), "true", "echo", 1))
	})
	p := f.recall(t, cache, root, later)
	defer p.Close(t.Context())
	_, _ = ask3(t, p, root)
	_ = p.current.killHung("ListCmd", "no answer", time.Second)
	var outdated *OutdatedError
	if _, err := p.RerunCmd(t.Context(), sdk.RerunRequest{}); !errors.As(err, &outdated) {
		t.Errorf("it goes on: %v", err)
	}
	if err := p.Confirm(t.Context()); !errors.As(err, &outdated) || p.current != p.first {
		t.Errorf("Confirm: %v", err)
	}
}

func TestWhoGivesUpDoesNotWaitForAPlugin(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	starting := &Plugin{first: &instance{confirmed: make(chan struct{}), line: &line{}}}
	if err := starting.Confirm(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("starting: %v", err)
	}
	running := newFixture(t, "good").start(t)
	for range 20 {
		if err := running.Confirm(gone); err != nil {
			t.Fatalf("running: %v", err)
		}
	}
}

// The file is the user's, but it may be damaged.
func TestARecalledIdentityThatCannotBeIsForgotten(t *testing.T) {
	f, cache, root := recallFixture(t, "good")
	change(t, cache, func(kept []answer) {
		a := answerOf(t, kept, "Describe")
		a.Reply = []byte(strings.Replace(string(a.Reply), "good", "evil", 1))
	})
	p := f.recall(t, cache, root, later)
	defer p.Close(t.Context())
	if err := p.Confirm(t.Context()); err != nil || p.Identity().Name != "good" || len(p.config.Answers.kept) > 1 {
		t.Errorf("%+v, %v", p.Identity(), err)
	}
}

func TestAnswersThatDifferAreNotRecalled(t *testing.T) {
	f := newFixture(t, "random")
	cache, root := filepath.Join(t.TempDir(), "cache"), t.TempDir()
	write(t, filepath.Join(root, "bad.mod"))
	var last sdk.Plan
	for range 4 {
		p := f.recall(t, cache, root, later)
		plan, err := ask3(t, p, root)
		if err != nil || reflect.DeepEqual(plan, last) {
			t.Errorf("%+v, %v", plan, err)
		}
		if err := p.Confirm(t.Context()); err != nil {
			t.Error(err)
		}
		p.Close(t.Context())
		last = plan
	}
}

func TestNothingIsRecalledFromWhatSomebodyElseMayHaveWritten(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, cache, root string) (dir string){
		"in the workspace": func(t *testing.T, cache, root string) string {
			inside := filepath.Join(root, ".cache")
			if err := os.Rename(cache, inside); err != nil {
				t.Fatal(err)
			}
			return inside
		},
		"writable by the group": func(t *testing.T, cache, root string) string {
			if err := os.Chmod(filepath.Join(cache, answersFile), 0o660); err != nil {
				t.Fatal(err)
			}
			return cache
		},
		"a link": func(t *testing.T, cache, root string) string {
			link := t.TempDir()
			if err := os.Symlink(filepath.Join(cache, answersFile), filepath.Join(link, answersFile)); err != nil {
				t.Fatal(err)
			}
			return link
		},
		"too large": func(t *testing.T, cache, root string) string {
			if err := os.WriteFile(filepath.Join(cache, answersFile), make([]byte, maxAnswersFile+1), 0o600); err != nil {
				t.Fatal(err)
			}
			return cache
		},
		"another binary": func(t *testing.T, cache, root string) string {
			change(t, cache, func(kept []answer) {
				for i := range kept {
					kept[i].Binary.Ctime++
				}
			})
			return cache
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, cache, root := recallFixture(t, "good")
			if kept := OpenAnswers(cache, root, later).kept; len(kept) < 3 || !kept[0].Again {
				t.Fatalf("nothing to spoil: %+v", kept)
			}
			dir := spoil(t, cache, root)
			p := f.recall(t, dir, root, later)
			defer p.Close(t.Context())
			if p.current.line.conn == nil {
				t.Error("the plugin is not asked")
			}
		})
	}
}

// Two changes within the granularity of file times would look the same.
func TestAnswersOfAFreshBinaryAreNotKept(t *testing.T) {
	f := newFixture(t, "good")
	cache, root := filepath.Join(t.TempDir(), "cache"), t.TempDir()
	p := f.recall(t, cache, root, func() time.Time { return time.Unix(0, 0) })
	p.Close(t.Context())
	if raw, err := os.ReadFile(filepath.Join(cache, answersFile)); err == nil && string(raw) != "[]" {
		t.Errorf("kept: %s", raw)
	}
}
