package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestCurvesAreDrawnToScale(t *testing.T) {
	var out bytes.Buffer
	err := Draw(&out, []Panel{{
		Title: "a & b", X: "events", Y: "s",
		Curves: []Curve{{Name: "<p>", Points: []Point{{10, 0.1}, {100, 1}, {1000, 10}}}},
	}, {Title: "nothing"}})
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, &out)
		}
	}
	// Linear growth is a diagonal: from one corner through the middle to the other.
	if want := `points="64.0,272.0 234.0,154.0 404.0,36.0 "`; !strings.Contains(out.String(), want) {
		t.Errorf("lacks %s:\n%s", want, &out)
	}
	if !strings.Contains(out.String(), "a &amp; b") || !strings.Contains(out.String(), "&lt;p&gt;") {
		t.Error("texts are not escaped")
	}
}
