package plugintest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// chunkings are those that found bugs: every place is a split, splits move
// through the lines, and no pattern at all.
var chunkings = []Chunking{1, 7, RandomChunks}

// smallOutput bounds the recordings that are sent byte by byte.
const smallOutput = 256 << 10

func (s *suite) chunking(t *testing.T) {
	s.eachRecording(t, func(t *testing.T, r Recording) {
		whole := Parse(t, s.detector, r, WholeChunks)
		for _, c := range chunkings {
			if c > 0 && r.size() > smallOutput {
				continue
			}
			if diff := Parse(t, s.detector, r, c).Diff(whole); diff != "" {
				t.Errorf("in chunks of %d (-1 is random) and whole:\n%s", c, diff)
			}
		}
	})
}

// anyOutput sends what is no runner's output. No test passed in it.
func (s *suite) anyOutput(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing":          nil,
		"binary":           bytes.Repeat([]byte{0xff, 0, '\n', '{', '"'}, 1000),
		"one long line":    bytes.Repeat([]byte("x"), 1<<20),
		"one open object":  append([]byte(`{"`), bytes.Repeat([]byte("x"), 1<<20)...),
		"nested brackets":  bytes.Repeat([]byte("["), 100_000),
		"NULs":             make([]byte, 10_000),
		"windows lines":    bytes.Repeat([]byte("some text\r\n"), 100),
		"broken UTF-8":     []byte("\xc3\x28 \xed\xa0\x80\n\xf8\x88\x80\x80\x80\n"),
		"empty lines":      bytes.Repeat([]byte("\n"), 10_000),
		"escape sequences": bytes.Repeat([]byte("\x1b[31mred\x1b[0m\x1b]0;title\x07\n"), 100),
	} {
		for _, exit := range []sdk.Exit{{}, {Code: 1}, {Code: -1, Signal: "SIGKILL"}, {Code: -1, TimedOut: true}, {Code: -1, Cancelled: true}, {Unknown: true}} {
			for _, stream := range []sdk.Stream{sdk.Stdout, sdk.Stderr} {
				r := Recording{Name: name, Pieces: []Piece{{stream, data}}, Exit: exit}
				for _, test := range Parse(t, s.detector, r, WholeChunks).Tests {
					if test.Status == sdk.Passed {
						t.Errorf("%s: %v is reported as passed", name, test.ID)
					}
				}
			}
		}
	}
}

// cuts is the number of places at which a recording is cut.
const cuts = 20

// cutOutput ends recordings early. What was not printed cannot have passed.
func (s *suite) cutOutput(t *testing.T) {
	s.eachRecording(t, func(t *testing.T, r Recording) {
		passed := passes(Parse(t, s.detector, r, WholeChunks))
		for i := range cuts {
			short := r
			short.Pieces = cut(r.Pieces, r.size()*i/cuts)
			short.Exit = sdk.Exit{Code: -1, Signal: "SIGKILL"}
			for id := range passes(Parse(t, s.detector, short, WholeChunks)) {
				if !passed[id] {
					t.Errorf("cut after %d of %d bytes, %v passed; in the whole output it did not", r.size()*i/cuts, r.size(), id)
				}
			}
		}
	})
}

func (s *suite) outputOf(t *testing.T) {
	if !s.identity(t).OutputOf {
		t.Skip("the plugin does not declare it")
	}
	s.eachRecording(t, func(t *testing.T, r Recording) {
		for _, id := range failed(Parse(t, s.detector, r, WholeChunks)) {
			r.Run.OutputOf = id
			whole := Parse(t, s.detector, r, WholeChunks)
			if diff := Parse(t, s.detector, r, RandomChunks).Diff(whole); diff != "" {
				t.Errorf("output of %v in random chunks and whole:\n%s", id, diff)
			}
		}
	})
}

func (s *suite) lists(t *testing.T) {
	if !s.identity(t).List {
		t.Skip("the plugin does not declare it")
	}
	req := sdk.ListRequest{Workspace: s.Workspace}
	if s.Workspace.Root != "" {
		plan, err := s.detector.ListCmd(t.Context(), req)
		if err != nil {
			t.Fatalf("ListCmd: %v", err)
		}
		checkCommands(t, plan)
	}
	for _, r := range s.Listings {
		whole := fmt.Sprintf("%+v", ParseList(t, s.detector, req, r, WholeChunks))
		for _, c := range chunkings {
			if got := fmt.Sprintf("%+v", ParseList(t, s.detector, req, r, c)); got != whole {
				t.Errorf("listing %s in chunks of %d: %s\nwhole: %s", r.Name, c, got, whole)
			}
		}
	}
	ParseList(t, s.detector, req, Stdout("garbage", []byte(strings.Repeat("{\xff\x00\n", 1000)), sdk.Exit{Code: 1}), WholeChunks)
}

func (r Recording) size() int {
	n := 0
	for _, piece := range r.Pieces {
		n += len(piece.Data)
	}
	return n
}

// cut returns the first size bytes of pieces.
func cut(pieces []Piece, size int) []Piece {
	var short []Piece
	for _, piece := range pieces {
		n := min(len(piece.Data), size)
		short = append(short, Piece{piece.Stream, piece.Data[:n]})
		size -= n
	}
	return short
}

func passes(events *Events) map[sdk.TestID]bool {
	ids := map[sdk.TestID]bool{}
	for _, test := range events.Tests {
		if test.Status == sdk.Passed {
			ids[test.ID] = true
		}
	}
	return ids
}
