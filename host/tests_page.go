package host

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
)

// page fills in the page that a request asks for.
func (f *foundTests) page(list *record.TestList, key []byte, req TestsRequest) error {
	f.sort()
	f.summarize(list)
	begin, err := f.after(key, req.Cursor)
	if err != nil {
		return err
	}
	limit := clamp(req.Limit, DefaultTestsLimit, MaxTestsLimit)
	if req.All {
		limit = len(f.tests)
	}
	end := f.fit(begin, limit, req.Bytes)
	list.Suites = []record.ListedSuite{}
	for i, t := range f.tests[begin:end] {
		if i == 0 || t.suite != f.tests[begin+i-1].suite {
			list.Suites = append(list.Suites, record.ListedSuite{Suite: t.suite})
		}
		last := &list.Suites[len(list.Suites)-1]
		last.Tests = append(last.Tests, t.ListedTest)
	}
	if end < len(f.tests) {
		list.NextCursor = f.cursor(key, end-1)
	}
	return nil
}

// fit is where a page ends that begins at a test: it has one at the least.
func (f *foundTests) fit(begin, limit, most int) int {
	end := min(begin+limit, len(f.tests))
	if most <= 0 {
		return end
	}
	size := 0
	for i := begin; i < end; i++ {
		size += jsonSize(f.tests[i].ListedTest)
		if i == begin || f.tests[i].suite != f.tests[i-1].suite {
			size += jsonSize(record.ListedSuite{Suite: f.tests[i].suite})
		}
		if size > most && i > begin {
			return i
		}
	}
	return end
}

// jsonSize is how many bytes a value takes as JSON, with a comma.
func jsonSize(v any) int {
	line, err := report.JSON(v)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return len(line)
}

// after is where the page begins that a cursor asks for.
func (f *foundTests) after(key []byte, cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	for i := range f.tests {
		if f.cursor(key, i) == cursor {
			return i + 1, nil
		}
	}
	return 0, &UsageError{
		Reason: fmt.Sprintf("the cursor %q is none of this listing: it is of another selection, or the tests have changed since", cutAt(report.Line(cursor), maxShown)),
		Fix:    "leave it out to list them from the beginning",
	}
}

// maxShown is how much of an argument that means nothing an error repeats.
const maxShown = 200

// cursor names the place behind a test. It is made of the test's name, and so
// stays right where others come and go; and of what was asked for, so that it is
// unknown to another listing.
func (f *foundTests) cursor(key []byte, i int) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s", key, f.tests[i].suite, f.tests[i].Test)
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
}
