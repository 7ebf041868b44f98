package profile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/plugins/go/internal/profile"
	"github.com/proctorhq/proctor/sdk"
)

// recorded returns a file that a test binary of Go 1.26 left.
func recorded(t *testing.T, name string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readRecorded reads the profile and what the counters mean.
func readRecorded(t *testing.T) (*profile.Numbering, sdk.BlockSet, *profile.Counters) {
	n := &profile.Numbering{}
	executed, err := n.Read(bytes.NewReader(recorded(t, "profile.txt")))
	if err != nil {
		t.Fatal(err)
	}
	counters, err := n.ReadCounters(recorded(t, "meta"))
	if err != nil {
		t.Fatal(err)
	}
	return n, executed, counters
}

func TestCountersSayWhatTheProfileSays(t *testing.T) {
	n, want, counters := readRecorded(t)
	got, err := counters.AddExecuted(nil, recorded(t, "counters"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(executedBlocks(n, want), executedBlocks(n, got)); diff != "" {
		t.Errorf("executed blocks differ (-profile +counters):\n%s", diff)
	}
	if counters.Len() != n.Len() {
		t.Errorf("%d blocks have a counter, want all %d", counters.Len(), n.Len())
	}
	if want := "31bcfb093309165dddf30ff60d2350a3"; counters.Hash() != want {
		t.Errorf("hash is %s, want %s", counters.Hash(), want)
	}
}

func TestCountersAddToASet(t *testing.T) {
	_, want, counters := readRecorded(t)
	const another = 8
	got, err := counters.AddExecuted(sdk.BlockSet{}.Add(another), recorded(t, "counters"))
	if want = want.Add(another); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestCountersOfAnotherProgramAreRefused(t *testing.T) {
	_, _, counters := readRecorded(t)
	data := recorded(t, "counters")
	data[8]++ // of the hash
	if _, err := counters.AddExecuted(nil, data); err == nil {
		t.Error("counters of another program were read")
	}
}

func TestAProfileOfOtherBlocksRefusesCounters(t *testing.T) {
	for name, change := range map[string][2]string{
		"a block elsewhere":  {"b.go:8.12,10.3 1", "b.go:8.13,10.3 1"},
		"another file":       {"m/b.go:8.12,10.3 1", "m/c.go:8.12,10.3 1"},
		"other statements":   {"b.go:8.12,10.3 1", "b.go:8.12,10.3 2"},
		"a block is missing": {"example.com/m/b.go:8.12,10.3 1 0\n", ""},
	} {
		var n profile.Numbering
		text := bytes.Replace(recorded(t, "profile.txt"), []byte(change[0]), []byte(change[1]), 1)
		if _, err := n.Read(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := n.ReadCounters(recorded(t, "meta")); err == nil {
			t.Errorf("%s: the counters were understood", name)
		}
	}
}

func TestDamagedCountersAreRefusedOrHarmless(t *testing.T) {
	n, _, counters := readRecorded(t)
	data, meta := recorded(t, "counters"), recorded(t, "meta")
	for cut := range data {
		if _, err := counters.AddExecuted(nil, data[:cut]); err == nil {
			t.Errorf("counters that end after %d bytes were read", cut)
		}
	}
	for cut := range meta {
		if _, err := n.ReadCounters(meta[:cut]); err == nil {
			t.Errorf("what counters mean was read from %d bytes", cut)
		}
	}
	for at := range max(len(data), len(meta)) {
		for _, value := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			if at < len(data) {
				changed := slices.Clone(data)
				changed[at] = value
				_, _ = counters.AddExecuted(nil, changed) // must not panic, nor take all memory
			}
			if at < len(meta) {
				changed := slices.Clone(meta)
				changed[at] = value
				if c, err := n.ReadCounters(changed); err == nil {
					_, _ = c.AddExecuted(nil, data)
				}
			}
		}
	}
}
