package testlist

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// page fills in the requested page.
func (f *FoundTests) page(list *api.TestList, key []byte, req api.TestsRequest) error {
	f.Sort()
	f.Summarize(list)
	begin, err := f.after(key, req.Cursor)
	if err != nil {
		return err
	}
	limit := api.Clamp(req.Limit, api.DefaultTestsLimit, api.MaxTestsLimit)
	if req.All {
		limit = len(f.tests)
	}
	end := f.fit(begin, limit, req.Bytes)
	list.Suites = []api.ListedSuite{}
	for i, t := range f.tests[begin:end] {
		if i == 0 || t.suite != f.tests[begin+i-1].suite {
			list.Suites = append(list.Suites, api.ListedSuite{Suite: t.suite})
		}
		last := &list.Suites[len(list.Suites)-1]
		last.Tests = append(last.Tests, t.ListedTest)
	}
	if end < len(f.tests) {
		list.NextCursor = f.cursor(key, end-1)
	}
	return nil
}

// fit returns where a page that begins at a test ends: it has at least one.
func (f *FoundTests) fit(begin, limit, most int) int {
	end := min(begin+limit, len(f.tests))
	if most <= 0 {
		return end
	}
	size := 0
	for i := begin; i < end; i++ {
		size += jsonSize(f.tests[i].ListedTest)
		if i == begin || f.tests[i].suite != f.tests[i-1].suite {
			size += jsonSize(api.ListedSuite{Suite: f.tests[i].suite})
		}
		if size > most && i > begin {
			return i
		}
	}
	return end
}

// jsonSize returns the size of a value as JSON, with a comma.
func jsonSize(v any) int {
	line, err := prose.JSON(v)
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	return len(line)
}

// after returns where the page for a cursor begins.
func (f *FoundTests) after(key []byte, cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	for i := range f.tests {
		if f.cursor(key, i) == cursor {
			return i + 1, nil
		}
	}
	return 0, &api.UsageError{
		Reason: fmt.Sprintf("the cursor %q is not of this listing: it is of another selection, or the tests have changed since", prose.Cut(prose.Line(cursor), MaxShown, sdk.TruncationMark)),
		Fix:    "leave it out to list them from the beginning",
	}
}

// MaxShown is how much of an invalid argument an error repeats.
const MaxShown = 200

// cursor identifies the place after a test. It contains the test's name, so it stays
// valid when others come and go, and the request, so that another listing rejects it.
func (f *FoundTests) cursor(key []byte, i int) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s", key, f.tests[i].suite, f.tests[i].Test)
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
}
