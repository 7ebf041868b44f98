package mcpconfig

import (
	"strings"
	"testing"
)

func TestTheDocumentationShowsWhatIsWritten(t *testing.T) {
	doc := read(t, "../../docs/mcp-clients.md")
	for _, name := range Names() {
		e, err := Plan(Config{Client: name, Program: "/usr/local/bin/proctor", ByName: true, Where: machine(t)})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(doc, "\n"+e.Snippet()+"```") {
			t.Errorf("docs/mcp-clients.md does not show the entry of %s:\n%s", name, e.Snippet())
		}
		if !strings.Contains(doc, e.Title) {
			t.Errorf("docs/mcp-clients.md does not name %s", e.Title)
		}
	}
}

func TestTheSkillIsSmallAndBeginsAsSkillsDo(t *testing.T) {
	if len(Skill()) >= 3<<10 {
		t.Errorf("the skill has %d bytes", len(Skill()))
	}
	if !strings.HasPrefix(Skill(), "---\nname: proctor\ndescription: ") {
		t.Errorf("the skill begins %q", Skill()[:40])
	}
}
