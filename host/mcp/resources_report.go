package mcp

import (
	"bytes"
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/report"
)

// maxReport bounds a report: a client holds all of it, and gets it as one message.
const maxReport = 4 << 20

// reportFile is a report of a run that clients can read.
type reportFile struct{ name, format, mime, description string }

// reportFiles are the reports by the last part of their addresses.
func reportFiles() []reportFile {
	return []reportFile{
		{"report.html", "html", "text/html", "A run as a page for a browser, in one file."},
		{"junit.xml", "junit", "application/xml", "A run as JUnit XML."},
	}
}

// reportTool makes a report of a run, as a tool whose answer is one.
func reportTool(f reportFile) tool {
	return tool{name: f.name, action: take(func(ctx context.Context, c *call, args getRunArgs) (answer, error) {
		where, err := c.whereRun(ctx, "", args.Ref)
		if err != nil {
			return answer{}, err
		}
		ended, err := query.Recorded(ctx, c.session.keeper, api.LastRun{Where: where, Ref: args.Ref})
		if err != nil {
			return answer{}, err
		}
		format, ok := report.Find(f.format)
		var b bytes.Buffer
		if ok {
			err = format.Write(&b, report.NewDocument(ended), report.Options{Version: c.session.server.cfg.Version})
		}
		if err == nil && b.Len() > maxReport {
			err = fmt.Errorf("%s of run %s has %d bytes, and a resource at most %d: your user can write it to a file", f.name, ended.Run.RunID, b.Len(), maxReport)
		}
		return answer{text: []string{b.String()}}, err
	})}
}

// reportResource returns a report of a run.
func reportResource(ctx context.Context, s *session, client *mcp.ServerSession, uri string, f reportFile, args map[string]any) (*mcp.ResourceContents, error) {
	a, err := s.ask(ctx, client, uri, reportTool(f), args)
	if err != nil {
		return nil, err
	}
	return &mcp.ResourceContents{MIMEType: f.mime, Text: a.text[0]}, nil
}
