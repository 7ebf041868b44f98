package testlist

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// listed is a listing of suites with this many tests each.
func listed(suites, tests int) *FoundTests {
	f := &FoundTests{}
	for _, s := range rand.Perm(suites) {
		one := sdk.ListedSuite{Suite: fmt.Sprintf("suite/%03d", s)}
		for _, n := range rand.Perm(tests) {
			one.Tests = append(one.Tests, sdk.ListedTest{Name: fmt.Sprintf("Test%04d", n), Location: sdk.Location{File: "a_test.go", Line: n + 1}})
		}
		f.Suite(one)
	}
	return f
}

func page(t *testing.T, f *FoundTests, req api.TestsRequest) api.TestList {
	t.Helper()
	var list api.TestList
	if err := f.page(&list, []byte("key"), req); err != nil {
		t.Fatal(err)
	}
	return list
}

func namesIn(l api.TestList) []string {
	var names []string
	for _, s := range l.Suites {
		for _, one := range s.Tests {
			names = append(names, s.Suite+" "+one.Test)
		}
	}
	return names
}

func TestPagesHoldEveryTestOnceInOneOrderWhateverTheyWereListedIn(t *testing.T) {
	whole := namesIn(page(t, listed(7, 30), api.TestsRequest{Limit: api.MaxTestsLimit}))
	if len(whole) != 210 || !slices.IsSorted(whole) {
		t.Fatalf("%d tests, sorted: %v", len(whole), slices.IsSorted(whole))
	}
	many := listed(7, 300)
	if l := page(t, many, api.TestsRequest{All: true}); l.Shown() != len(many.tests) || l.NextCursor != "" {
		t.Errorf("of all %d tests %d are shown, cursor %q", len(many.tests), l.Shown(), l.NextCursor)
	}
	for _, req := range []api.TestsRequest{{Limit: 1}, {Limit: 13}, {Limit: 210}, {Limit: 50, Bytes: 700}, {Bytes: 1}} {
		var all []string
		for pages := 0; ; pages++ {
			// Each page is of its own listing.
			l := page(t, listed(7, 30), req)
			if l.Total != 210 || l.SuitesTotal != 7 || !l.Complete {
				t.Fatalf("page %d: %d tests in %d suites, complete %v", pages, l.Total, l.SuitesTotal, l.Complete)
			}
			if req.Limit > 0 && l.Shown() > req.Limit || l.Shown() == 0 {
				t.Fatalf("%+v: a page of %d", req, l.Shown())
			}
			all = append(all, namesIn(l)...)
			if req.Cursor = l.NextCursor; req.Cursor == "" {
				break
			}
		}
		if !slices.Equal(all, whole) {
			t.Errorf("limit %d, %d bytes: the pages together have %d tests", req.Limit, req.Bytes, len(all))
		}
	}
}

func TestAPageTakesNoMoreBytesThanItMay(t *testing.T) {
	for _, most := range []int{200, 1000, 5000} {
		l := page(t, listed(5, 40), api.TestsRequest{Limit: api.MaxTestsLimit, Bytes: most})
		size := 0
		for _, s := range l.Suites {
			size += jsonSize(s)
		}
		if size > most || size < most/2 || l.NextCursor == "" {
			t.Errorf("a page of %d bytes, of at most %d", size, most)
		}
	}
}

func TestAPageContinuesAtItsPlaceWhileOtherTestsComeAndGo(t *testing.T) {
	first := page(t, listed(1, 10), api.TestsRequest{Limit: 4})
	now := &FoundTests{}
	now.Suite(sdk.ListedSuite{Suite: "suite/000", Tests: []sdk.ListedTest{
		{Name: "Test0000a"}, {Name: "Test0003", Location: sdk.Location{Line: 99}}, {Name: "Test0004"}, {Name: "Test0004a"},
	}})
	next := page(t, now, api.TestsRequest{Cursor: first.NextCursor})
	if got := namesIn(next); !slices.Equal(got, []string{"suite/000 Test0004", "suite/000 Test0004a"}) {
		t.Errorf("got %q", got)
	}
}

func TestACursorOfAnotherListingIsAnError(t *testing.T) {
	cursor := page(t, listed(2, 10), api.TestsRequest{Limit: 4}).NextCursor
	for name, of := range map[string]struct {
		found       *FoundTests
		key, cursor string
	}{
		"made up":             {listed(2, 10), "key", "x\x1b[31my"},
		"of another question": {listed(2, 10), "other", cursor},
		"of a test that went": {listed(2, 3), "key", cursor},
		"of no tests":         {&FoundTests{}, "key", cursor},
	} {
		var list api.TestList
		err := of.found.page(&list, []byte(of.key), api.TestsRequest{Cursor: of.cursor})
		if _, ok := errors.AsType[*api.UsageError](err); !ok || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAListThatLacksSomeIsNeverComplete(t *testing.T) {
	f := listed(1, 3)
	f.Error("pkg/broken does not build")
	if l := page(t, f, api.TestsRequest{}); l.Complete || !slices.Equal(l.Errors, []string{"pkg/broken does not build"}) || l.Total != 3 {
		t.Errorf("%+v", l)
	}
	if l := page(t, &FoundTests{}, api.TestsRequest{}); !l.Complete || l.Suites == nil {
		t.Errorf("of nothing: %+v", l)
	}
}

func TestALargeListingIsKeptInPartAndSaysSo(t *testing.T) {
	f := &FoundTests{}
	many := sdk.ListedSuite{Suite: "s"}
	for n := range maxFoundTests + 5 {
		many.Tests = append(many.Tests, sdk.ListedTest{Name: fmt.Sprint("Test", n)})
	}
	f.Suite(many)
	for range maxFoundErrors + 3 {
		f.Error(strings.Repeat("€", maxFoundErrorBytes))
	}
	l := page(t, f, api.TestsRequest{Limit: 1 << 30})
	if len(f.tests) != maxFoundTests || l.Total != maxFoundTests+5 || l.Complete || l.Shown() != api.MaxTestsLimit {
		t.Errorf("%d kept, %d in all, complete %v, %d shown", len(f.tests), l.Total, l.Complete, l.Shown())
	}
	if n := len(l.Errors); n != maxFoundErrors+2 || l.Errors[n-2] != "and 3 more errors" || len(l.Errors[0]) > maxFoundErrorBytes+20 {
		t.Errorf("%d errors, the last of them %q", n, l.Errors[max(0, n-2):])
	}
	huge := &FoundTests{}
	for n := range 3 {
		huge.Suite(sdk.ListedSuite{Suite: fmt.Sprint(n), Tests: []sdk.ListedTest{{Name: strings.Repeat("x", maxFoundBytes/2)}}})
	}
	if l := page(t, huge, api.TestsRequest{}); l.Complete || len(huge.tests) != 1 {
		t.Errorf("%d tests of half the bytes are kept", len(huge.tests))
	}
}

func TestWhatIsListedTwiceIsOneTest(t *testing.T) {
	f := &FoundTests{}
	for range 2 {
		f.Suite(sdk.ListedSuite{Suite: "s", Tests: []sdk.ListedTest{{Name: "TestA"}, {Name: "BenchmarkA", OnRequest: true}}})
	}
	f.Suite(sdk.ListedSuite{Suite: "empty"})
	if l := page(t, f, api.TestsRequest{}); l.Total != 2 || l.OnRequest != 1 || l.SuitesTotal != 1 || len(l.Suites) != 1 {
		t.Errorf("%+v", l)
	}
}
