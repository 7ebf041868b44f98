package portable

import (
	"strings"
	"testing"
)

func TestObjectsThatReadersMayUnderstandDifferentlyAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}`:                       "",
		`[[],{},1,"a",null]`:                                              "",
		`{"attributes":{"K":1,"k":2},"a":1}`:                              "",
		`{"a":1,"A":2}`:                                                   `member "A" twice`,
		`{"a":{"b":1},"a":2}`:                                             `member "a" twice`,
		`{"a":[1,{}],"b":1,"a":2}`:                                        `member "a" twice`,
		`{"attributes":{"k":1,"k":2}}`:                                    `member "k" twice`,
		`{"attributes":{"k":{"s":1,"S":2}}}`:                              `member "S" twice`,
		`{"attributes":{"k":1},"a":1,"A":2}`:                              `member "A" twice`,
		`{"failures":[{"attributes":{}},{"status":"p","Status":"f"}]}`:    `member "Status" twice`,
		`{"failures":[{"attributes":{"k":1}},{"a":[],"b":1,"B":[2]}]}`:    `member "B" twice`,
		strings.Repeat("[", maxNesting) + strings.Repeat("]", maxNesting): "",
		strings.Repeat("[", maxNesting+1):                                 "levels deep",
		"[" + strings.Repeat("1", maxDigits+1) + "]":                      "number of",
		`["` + strings.Repeat(`\"`, maxText/2) + `"]`:                     "",
		`["", "` + strings.Repeat(`\"`, maxText/2) + `a`:                  "a text of",
		"[" + strings.Repeat("{},", maxObjects) + "{}]":                   "more than 4000000 objects",
		`{} {}`:      "more than one value",
		`{"a":1`:     "EOF",
		"[\"\xff\"]": "UTF-8",
	} {
		err := checkJSON([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.80s: %v, and not %q", text, err, want)
		}
	}
}
