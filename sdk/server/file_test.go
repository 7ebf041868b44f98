package server_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// recordedFile writes a file whose bytes differ everywhere, and returns its path and content.
func recordedFile(t *testing.T, size int) (path string, content []byte) {
	t.Helper()
	content = make([]byte, size)
	for i := range content {
		content[i] = byte(i * 31 >> 8)
	}
	path = filepath.Join(t.TempDir(), "output")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, content
}

func TestAParserReadsFilesAsIfTheyWereSent(t *testing.T) {
	// More than the host keeps ahead, so it waits for the plugin.
	path, content := recordedFile(t, 9*sdk.SendFile+12345)
	other, stderr := recordedFile(t, 777)
	var read [2]bytes.Buffer
	stream := openStream(t, newParsingFake(func(_ sdk.Sink, which sdk.Stream, data []byte) {
		read[which-sdk.Stdout].Write(data)
	}, nil), client.ParseOptions{}, newLive())
	if err := stream.Send(sdk.Stdout, []byte("before")); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(content); at += sdk.SendFile {
		if err := stream.SendFile(sdk.Stdout, path, int64(at), int64(min(sdk.SendFile, len(content)-at))); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.SendFile(sdk.Stderr, other, 100, 600); err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(sdk.Stdout, []byte("after")); err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(sdk.Exit{}); err != nil {
		t.Fatal(err)
	}
	if want := "before" + string(content) + "after"; read[0].String() != want {
		t.Errorf("the parser read %d bytes, want %d, or others", read[0].Len(), len(want))
	}
	if !bytes.Equal(read[1].Bytes(), stderr[100:700]) {
		t.Errorf("the parser read %d bytes of the other file, want 600, or others", read[1].Len())
	}
}

func TestAReportOfHalfAFileIsNotWhole(t *testing.T) {
	path, _ := recordedFile(t, 1000)
	for name, part := range map[string]struct {
		path         string
		offset, size int64
		says         string
	}{
		"a file that became shorter": {path, 500, 501, "became shorter"},
		"a file that is gone":        {path + ".gone", 0, 1, "cannot read the recorded output"},
		"a directory":                {filepath.Dir(path), 0, 1, "cannot read the recorded output"},
		"a negative offset":          {path, -1, 1, "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			stream := openStream(t, newParsingFake(nil, nil), client.ParseOptions{}, newLive())
			err := stream.SendFile(sdk.Stdout, part.path, part.offset, part.size)
			if err == nil {
				err = stream.Close(sdk.Exit{})
			}
			if err == nil || !strings.Contains(err.Error(), part.says) {
				t.Errorf("got %v, want %q", err, part.says)
			}
		})
	}
}

func TestAHostLetsNoFileBeReadBesideAListing(t *testing.T) {
	var s client.ParseStream
	if err := s.SendFile(sdk.Stdout, "f", 0, 1); err == nil {
		t.Error("the stream of a listing reads a file")
	}
}
