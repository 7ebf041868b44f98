package mcp

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// rootsWait bounds how long a client may take to say what its roots are. Some never
// answer.
const rootsWait = 2 * time.Second

// withoutRoots is the first version of the protocol in which a server sends its
// client no requests.
const withoutRoots = "2026-07-28"

// roots is the one directory that the client works in, or why there is none.
func (c *call) roots(ctx context.Context) (dir, reason string) {
	if c.client == nil {
		return "", "there is no client to ask"
	}
	params := c.client.InitializeParams()
	if params != nil && params.ProtocolVersion >= withoutRoots {
		return "", "protocol version " + params.ProtocolVersion + " has no such question"
	}
	//lint:ignore SA1019 older clients have nothing else to say it with
	if params == nil || params.Capabilities == nil || params.Capabilities.RootsV2 == nil {
		return "", "the client does not tell its roots"
	}
	ctx, cancel := context.WithTimeout(ctx, rootsWait)
	defer cancel()
	//lint:ignore SA1019 as above
	answer, err := c.client.ListRoots(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			return "", fmt.Sprintf("the client did not answer within %v", rootsWait)
		}
		return "", "the client did not tell its roots: " + err.Error()
	}
	var uris []string
	for _, root := range answer.Roots {
		uris = append(uris, root.URI)
	}
	if len(uris) != 1 {
		return "", strings.TrimSuffix(fmt.Sprintf("the client has %d roots, and only one would tell: %s", len(uris), strings.Join(uris, ", ")), ": ")
	}
	if dir = pathOfURI(uris[0]); dir == "" {
		return "", uris[0] + " is not the URI of a directory of this machine"
	}
	return dir, ""
}

// pathOfURI is the path of a file URI; empty where it has none.
func pathOfURI(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // file:///C:/work
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		return ""
	}
	return path
}
