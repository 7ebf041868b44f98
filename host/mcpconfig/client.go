package mcpconfig

import (
	"fmt"
	"slices"
	"strings"
)

// Scope is how far an entry reaches.
type Scope string

// The scopes: a project's entry is in its own directory; a user's applies to everything
// the user opens.
const (
	Project Scope = "project"
	User    Scope = "user"
)

// serverName is proctor's name in every client. It is short because some clients cut
// tool names, which begin with it, at 64 characters.
const serverName = "proctor"

// The longest run is 1800 seconds; a client waits a little longer than that, and longer
// to start the server than a cold disk takes.
const (
	callSeconds  = 1900
	startSeconds = 20
	// zedSeconds is the most that Zed waits for a call. A longer run continues; the
	// agent asks for it again.
	zedSeconds = 600
)

// format is the language of a configuration file.
type format int

const (
	jsonFormat format = iota
	tomlFormat
)

// client is a program that speaks MCP.
type client struct {
	name, title string
	format      format
	// container is the path of the file's table of servers.
	container []string
	// editor marks programs started from a desktop, often with a short PATH. Their
	// entry has the program's full path.
	editor bool
	// fields returns the keys of the entry, in order, for a program and its arguments.
	fields func(program string) []field
	// places are its scopes, default first.
	places []place
	// check says how to see that the client reached the server.
	check string
	// foreign reports a layout of a file that we do not know.
	foreign func(doc map[string]any) string
}

// place is one scope of a client.
type place struct {
	scope Scope
	// path returns the file, or candidates, the first existing one of which counts.
	// If path is nil, only the client itself can write it, for this reason.
	path   func(Where) []string
	reason string
	// add returns the client's own command for the same.
	add func(program string, c client) []string
}

// clients are in the order in which users see them.
var clients = []client{claude, codex, gemini, cursor, vscode, opencode, zed}

// Names lists the clients.
func Names() []string {
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
	}
	return names
}

func find(name string) (client, error) {
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
	if i < 0 {
		return client{}, fmt.Errorf("the client %q is unknown; give one of %s", name, strings.Join(Names(), ", "))
	}
	return clients[i], nil
}

// inWorkspace is what an editor replaces by the directory of the open project.
const inWorkspace = "${workspaceFolder}"

func plainFields(program string, more ...field) []field {
	return append([]field{{"command", program}, {"args", []string{"mcp"}}}, more...)
}
