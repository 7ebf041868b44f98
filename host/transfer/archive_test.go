package transfer

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
)

// item is an entry of an archive that a test modifies.
type item struct {
	header tar.Header
	body   []byte
}

// unpacked reads an archive.
func unpacked(t testing.TB, archive string) []item {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var items []item
	for r := tar.NewReader(zip); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return items
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item{*head, body})
	}
}

// packed writes an archive.
func packed(t testing.TB, items []item) string {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	for _, i := range items {
		if i.header.Typeflag == tar.TypeReg {
			i.header.Size = int64(len(i.body))
		}
		if err := w.WriteHeader(&i.header); err != nil {
			t.Fatal(err)
		}
		if i.header.Typeflag == tar.TypeReg {
			if _, err := w.Write(i.body); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Close()
	zip.Close()
	path := filepath.Join(t.TempDir(), "evil.tar.gz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// indexOf returns the index of an entry.
func indexOf(items []item, name string) int {
	return slices.IndexFunc(items, func(i item) bool { return strings.HasSuffix(i.header.Name, name) })
}

// edited changes the content of an entry, and the header accordingly.
func edited(t testing.TB, items []item, name, from, to string) []item {
	t.Helper()
	at := indexOf(items, name)
	if !bytes.Contains(items[at].body, []byte(from)) {
		t.Fatalf("%s has no %q: %s", name, from, items[at].body)
	}
	items[at].body = bytes.Replace(items[at].body, []byte(from), []byte(to), 1)
	return resized(t, items)
}

// resized makes the header announce the actual sizes.
func resized(t testing.TB, items []item) []item {
	t.Helper()
	return headed(t, items, func(h *archiveHeader) {
		h.Files = nil
		for _, i := range items[1:] {
			h.Files = append(h.Files, archivedFile{i.header.Name, int64(len(i.body))})
		}
	})
}

// begunAt changes when the run took place.
func begunAt(t testing.TB, items []item, at string) []item {
	t.Helper()
	raw := items[indexOf(items, "run.json")].body
	_, rest, _ := bytes.Cut(raw, []byte(`"started_at":"`))
	was, _, _ := bytes.Cut(rest, []byte(`"`))
	return edited(t, items, "run.json", `"started_at":"`+string(was), `"started_at":"`+at)
}

// headed changes the header.
func headed(t testing.TB, items []item, change func(*archiveHeader)) []item {
	t.Helper()
	var h archiveHeader
	if err := json.Unmarshal(items[0].body, &h); err != nil {
		t.Fatal(err)
	}
	change(&h)
	raw, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	items[0].body = raw
	return items
}

func TestAnArchiveThatLiesIsRefusedWhole(t *testing.T) {
	s := newSent(t)
	base := archiveRuns + s.run.ID + "/"
	for _, tc := range []struct {
		name, says string
		change     func(items []item) []item
	}{
		{"a newer format", "use a newer proctor", func(items []item) []item {
			return headed(t, items, func(h *archiveHeader) { h.Schema = "proctor.export/v2" })
		}},
		{"another format", "not an archive of runs", func(items []item) []item {
			return headed(t, items, func(h *archiveHeader) { h.Schema = "shopping list" })
		}},
		{"no header", "does not begin with", func(items []item) []item { return items[1:] }},
		{"a path out of the folder", "belongs to none of its runs", func(items []item) []item {
			items[1].header.Name = base + "../../../../evil"
			return resized(t, items)
		}},
		{"a name that is no file of a record", "belongs to none of its runs", func(items []item) []item {
			items[1].header.Name = base + "alive"
			return resized(t, items)
		}},
		{"a run that it does not announce", "belongs to none of its runs", func(items []item) []item {
			items[1].header.Name = archiveRuns + "somebody01/run.json"
			return resized(t, items)
		}},
		{"a run id that is a path", "is invalid or listed twice", func(items []item) []item {
			return headed(t, items, func(h *archiveHeader) { h.Runs[0].RunID = "../../evil" })
		}},
		{"a link", "where its header announces", func(items []item) []item {
			at := indexOf(items, "0-stdout")
			items[at].header.Typeflag, items[at].header.Linkname, items[at].header.Size = tar.TypeSymlink, "/etc/passwd", 0
			return items
		}},
		{"a hard link", "where its header announces", func(items []item) []item {
			at := indexOf(items, "0-stdout")
			items[at].header.Typeflag, items[at].header.Linkname, items[at].header.Size = tar.TypeLink, "/etc/passwd", 0
			return items
		}},
		{"an entry twice", "belongs to none of its runs", func(items []item) []item { return resized(t, append(items, items[1])) }},
		{"an entry more than it announces", "more files than its header announces", func(items []item) []item { return append(items, items[1]) }},
		{"an entry less than it announces", "is truncated", func(items []item) []item { return items[:len(items)-1] }},
		{"a run without results", "has no results.jsonl", func(items []item) []item {
			at := indexOf(items, "results.jsonl")
			return resized(t, slices.Delete(items, at, at+1))
		}},
		{"another size", "where its header announces", func(items []item) []item {
			return headed(t, items, func(h *archiveHeader) { h.Files[0].Size++ })
		}},
		{"a size beyond all bounds", "are allowed", func(items []item) []item {
			return headed(t, items, func(h *archiveHeader) { h.Files[0].Size = 1 << 60 })
		}},
		{"too many runs", "announces", func(items []item) []item {
			return headed(t, items, func(h *archiveHeader) {
				for n := range maxArchiveRuns {
					h.Runs = append(h.Runs, archivedRun{RunID: fmt.Sprintf("more%06d", n)})
				}
			})
		}},
		{"another run", "has the id", func(items []item) []item {
			return edited(t, items, "run.json", `"run_id":"origin0001"`, `"run_id":"elsewise01"`)
		}},
		{"a run id of another length", "is invalid or listed twice", func(items []item) []item {
			return headed(t, items, func(h *archiveHeader) { h.Runs[0].RunID = "origin000" })
		}},
		{"a language that is a path", "language", func(items []item) []item {
			return edited(t, items, "run.json", `"language":"x"`, `"language":"../../../tmp/x"`)
		}},
		{"a run of the future", "impossible start time", func(items []item) []item { return begunAt(t, items, "2026-03-04T00:00:00Z") }},
		{"a run beyond all times", "impossible start time", func(items []item) []item { return begunAt(t, items, "9000-01-01T00:00:00Z") }},
		{"a run before all times", "impossible start time", func(items []item) []item { return begunAt(t, items, "1969-12-31T00:00:00Z") }},
		{"a run that ends in the future", "impossible start time", func(items []item) []item {
			return edited(t, items, "run.json", `"duration_s":60`, `"duration_s":600000`)
		}},
		{"a failure that the history does not have", "none in its part of the history", func(items []item) []item {
			return edited(t, items, "history.jsonl", `"outcome":"failed"`, `"outcome":"passed"`)
		}},
		{"a failure that only the history has", "no failed result of it", func(items []item) []item {
			return edited(t, items, "history.jsonl", `"outcome":"passed"`, `"outcome":"failed"`)
		}},
		{"a count that the results do not have", "failed results of", func(items []item) []item {
			return edited(t, items, "run.json", `"failed":1`, `"failed":0`)
		}},
		{"the name of a file that no system has", "name", func(items []item) []item {
			return edited(t, items, "history.jsonl", `"file":"`, `"file":"`+strings.Repeat("f", maxArchiveFile))
		}},
		{"a run that goes on", "is not finished", func(items []item) []item {
			return edited(t, items, "run.json", `"state":"finished"`, `"state":"running"`)
		}},
		{"an unknown verdict", "unknown", func(items []item) []item {
			return edited(t, items, "run.json", `"verdict":"failed"`, `"verdict":"splendid"`)
		}},
		{"a green that hides a red", "says that it passed, but has 1 failure", func(items []item) []item {
			return edited(t, items, "run.json", `"verdict":"failed"`, `"verdict":"passed"`)
		}},
		{"an invalid object", "run.json", func(items []item) []item {
			return edited(t, items, "run.json", `{`, `[`)
		}},
		{"an invalid result", "line 1", func(items []item) []item {
			return edited(t, items, "results.jsonl", `{`, `[`)
		}},
		{"a line that is too long", "history.jsonl", func(items []item) []item {
			return edited(t, items, "history.jsonl", `"suite":"s"`, `"suite":"`+strings.Repeat("s", maxArchiveName+1)+`"`)
		}},
		{"results that are missing", "the header announces", func(items []item) []item {
			at := indexOf(items, "history.jsonl")
			_, rest, _ := bytes.Cut(items[at].body, []byte("\n"))
			items[at].body = rest
			return resized(t, items)
		}},
		{"an invalid outcome", "unknown", func(items []item) []item {
			return edited(t, items, "history.jsonl", `"outcome":"passed"`, `"outcome":"great"`)
		}},
		{"a duration of less than nothing", "negative", func(items []item) []item {
			return edited(t, items, "history.jsonl", `"duration_s":1`, `"duration_s":-1`)
		}},
		{"files of another state", "is that of the source state", func(items []item) []item {
			other := ledgertest.New(t)
			other.WriteFile("evil.x", "2")
			state, err := other.WorkingTree(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			at := indexOf(items, "states/"+s.run.Fingerprint)
			items[at].body = fingerprint.Encode(state.Files)
			return resized(t, items)
		}},
		{"files that are none", "states/", func(items []item) []item {
			items[indexOf(items, "states/"+s.run.Fingerprint)].body = []byte("garbage")
			return resized(t, items)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := ledgertest.New(t)
			before := tree(p)
			archive := packed(t, tc.change(unpacked(t, s.archive)))
			done, err := take(p, archive)
			if _, ok := errors.AsType[*api.ArchiveError](err); !ok || !strings.Contains(err.Error(), tc.says) || len(done.Runs) > 0 {
				t.Errorf("%+v, %v; want %q", done, err, tc.says)
			}
			tookNothing(p, t, before)
		})
	}
}

// tookNothing checks that nothing of an archive is left.
func tookNothing(p *ledgertest.Workspace, t testing.TB, before []string) {
	t.Helper()
	if after := tree(p); !slices.Equal(before, after) {
		t.Errorf("it left %v, and there was %v", after, before)
	}
	if runs, err := p.History.Runs(t.Context(), history.RunFilter{}); err != nil || len(runs) > 0 {
		t.Errorf("runs %v, %v", runs, err)
	}
}

func TestACutOrDamagedArchiveIsRefusedWhole(t *testing.T) {
	s := newSent(t)
	raw, err := os.ReadFile(s.archive)
	if err != nil {
		t.Fatal(err)
	}
	p := ledgertest.New(t)
	before := tree(p)
	path := filepath.Join(t.TempDir(), "broken.tar.gz")
	try := func(what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		done, err := take(p, path)
		if _, ok := errors.AsType[*api.ArchiveError](err); !ok || len(done.Runs) > 0 {
			t.Errorf("%s: %+v, %v", what, done, err)
		}
	}
	for n := 0; n < len(raw); n += max(len(raw)/40, 1) {
		try(fmt.Sprintf("cut after %d bytes", n), raw[:n])
	}
	try("cut before its end", raw[:len(raw)-1])
	for n := 12; n < len(raw); n += max(len(raw)/40, 1) {
		damaged := bytes.Clone(raw)
		damaged[n] ^= 0xff
		try(fmt.Sprintf("damaged at %d", n), damaged)
	}
	try("more behind it", append(bytes.Clone(raw), "garbage"...))
	tookNothing(p, t, before)
}

// Any archive is imported completely or not at all, and nothing is written elsewhere.
func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"schema":"proctor.export/v1","runs":[{"run_id":"abcd000001"}],"files":[{"name":"runs/abcd000001/run.json","size":2}]}`), []byte("{}"))
	p := ledgertest.New(f)
	before := tree(p)
	f.Fuzz(func(t *testing.T, header, body []byte) {
		file := func(name string, content []byte) item {
			return item{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}, content}
		}
		archive := packed(t, []item{file(archiveHeaderName, header), file("runs/abcd000001/run.json", body)})
		if _, err := ImportRuns(t.Context(), p.Keeper, api.ImportRequest{Where: p.Where(), File: archive}); err == nil {
			t.Error("a run without results was taken")
		}
		tookNothing(p, t, before)
	})
}
