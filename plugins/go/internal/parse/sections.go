package parse

import (
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// isSections tells the messages of quicktest: an empty first line, then labels
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
	var heads []string
	label := ""
	contents := map[string][]string{}
	for _, l := range text {
		if content, found := strings.CutPrefix(l, "  "); found {
			contents[label] = append(contents[label], content)
			continue
		}
		if name, found := strings.CutSuffix(l, ":"); found {
			label = name
			if strings.Contains(name, "diff (") {
				label = "diff"
			}
		}
	}
	for _, name := range []string{"error", "comment"} {
		if content := tidy(contents[name]); content != "" {
			heads = append(heads, content)
		}
	}
	diff.Got, diff.Want = tidy(contents["got"]), tidy(contents["want"])
	diff.Text = tidy(contents["diff"])
	return strings.Join(heads, "\n"), diff
}
