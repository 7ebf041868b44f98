package mcp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
)

func TestFoundrysParametersAreOfferedWhereThereIsAProject(t *testing.T) {
	t.Parallel()
	s := newShellSite(t, bare())
	changed := make(chan struct{}, 8)
	here, there := mcp.NewInMemoryTransports()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.server.Serve(ctx, there)
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		session.Close()
		stop()
		<-served
	}()
	offered := func() string {
		list, err := session.ListTools(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(list.Tools)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	look := func(dir string) {
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "workspace_info", Arguments: with{"workspace": dir}}); err != nil {
			t.Fatal(err)
		}
	}
	if text := offered(); strings.Contains(text, "match_contract") || strings.Contains(text, "Foundry") {
		t.Errorf("offered in a module: %s", text)
	}
	look(s.dir)
	s.write(t, files{"contracts/" + api.FoundryMarker: "", "plain/README": ""})
	look(filepath.Join(s.dir, "contracts"))
	select {
	case <-changed:
	case <-time.After(patience):
		t.Fatal("the client was not told")
	}
	if text := offered(); !strings.Contains(text, "match_contract") {
		t.Errorf("offered beside a project of Foundry: %s", text)
	}
	if text := offered(); strings.Count(text, `"name":"run_tests"`) != 1 {
		t.Errorf("offered twice: %s", text)
	}
}
