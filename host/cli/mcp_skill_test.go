package cli

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/mcpconfig"
)

// TestTheSkillNamesOnlyWhatThereIs holds that every command, flag and exit code in
// the skill is one of proctor's.
func TestTheSkillNamesOnlyWhatThereIs(t *testing.T) {
	root := (&app{}).command()
	commands := 0
	for _, span := range regexp.MustCompile("`proctor [^`]+`").FindAllString(mcpconfig.Skill(), -1) {
		words := strings.Fields(strings.Trim(span, "`"))[1:]
		if i := strings.Index(strings.Join(words, " "), " |"); i >= 0 {
			words = strings.Fields(strings.Join(words, " ")[:i])
		}
		cmd, rest, err := root.Find(words)
		if err != nil || cmd == root {
			t.Errorf("%s: there is no such command: %v", span, err)
			continue
		}
		commands++
		for _, w := range rest {
			if name, ok := strings.CutPrefix(w, "--"); ok && name != "help" && cmd.Flags().Lookup(name) == nil {
				t.Errorf("%s: %s has no flag %s", span, cmd.CommandPath(), w)
			}
		}
	}
	if commands < 12 {
		t.Errorf("%d commands were looked at", commands)
	}
	_, objects, _ := strings.Cut(mcpconfig.Skill(), "`--json` prints one object on a line for ")
	objects, _, _ = strings.Cut(objects, ":")
	for _, name := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(objects, -1) {
		if cmd, _, err := root.Find(name[1:]); err != nil || cmd.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json: %v", name[1], err)
		}
	}
	for command, flags := range map[string][]string{"run": {"p", "f", "timeout"}, "list": {"p", "f"}, "history": {"flaky", "recurring"}, "triage": {"base"}} {
		cmd, _, err := root.Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range flags {
			found := cmd.Flags().Lookup(f)
			if len(f) == 1 {
				found = cmd.Flags().ShorthandLookup(f)
			}
			if found == nil {
				t.Errorf("%s has no flag %s", command, f)
			}
		}
	}
	for _, code := range exitOrder {
		if !strings.Contains(mcpconfig.Skill(), "\n| "+strconv.Itoa(code)+" | ") {
			t.Errorf("exit code %d is not explained", code)
		}
	}
}
