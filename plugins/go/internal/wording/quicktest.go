package wording

import (
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// isSections reports whether a message is quicktest's: an empty first line, then labels
// with indented content.
func isSections(text []string) bool {
	return len(text) > 2 && strings.TrimSpace(text[0]) == "" &&
		(text[1] == "error:" || text[1] == "comment:") && strings.HasPrefix(text[2], "  ")
}

// readSections reads
//
//	error:
//	  values are not equal
//	got:
//	  int(1)
//	want:
//	  int(2)
func readSections(text []string) (message string, diff sdk.Diff) {
	contents := map[string][]string{}
	var labels []string
	label := ""
	for _, l := range text {
		if content, found := strings.CutPrefix(l, "  "); found {
			contents[label] = append(contents[label], content)
			continue
		}
		if name, found := strings.CutSuffix(l, ":"); found {
			label = name
			labels = append(labels, label)
		}
	}
	var heads []string
	for _, name := range []string{"error", "comment"} {
		if content := Tidy(contents[name]); content != "" {
			heads = append(heads, content)
		}
	}
	message = strings.Join(heads, "\n")
	if len(heads) == 2 && !strings.Contains(message[len(heads[0])+1:], "\n") {
		message = heads[0] + ": " + heads[1]
	}
	sentence := len(message)
	for _, name := range labels {
		content := Tidy(contents[name])
		switch legend := signLegend.FindString(name); {
		case name == "error", name == "comment", name == "stack", content == "":
		case name == "got":
			diff.Got = content
		case name == "want":
			diff.Want = content
		case legend != "" && strings.Contains(name, "diff"):
			diff.Text = strings.TrimPrefix(legend+"\n"+Tidy(Dedent(contents[name])), "\n")
		case strings.Contains(content, "\n"):
			message += "\n" + name + ":\n" + content
		default:
			message += "\n" + name + ": " + content
		}
	}
	if len(message) > sentence && sentence > 0 {
		message = message[:sentence] + ":" + message[sentence:]
	}
	return message, diff
}
