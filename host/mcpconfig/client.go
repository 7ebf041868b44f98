package mcpconfig

import "slices"

// Scope is how far an entry reaches.
type Scope string

// The scopes: an entry of a project stands in the project's own directory, that of
// a user holds for everything the user opens.
const (
	Project Scope = "project"
	User    Scope = "user"
)

// serverName is what proctor is called in every client. It is short because some
// clients cut tool names, which begin with it, at 64 characters.
const serverName = "proctor"

// The longest run is 1800 seconds; a client waits a little longer than that, and
// longer to start the server than a cold disk takes.
const (
	callSeconds  = 1900
	startSeconds = 20
	// zedSeconds is the most that Zed waits for a call. A run that takes longer goes
	// on; the agent asks for it again.
	zedSeconds = 600
)

// format is the language of a configuration file.
type format int

const (
	jsonFormat format = iota
	tomlFormat
)

// client is one program that speaks MCP.
type client struct {
	name, title string
	format      format
	// container is the path of the table of servers in the file.
	container []string
	// editor marks programs that are started from a desktop, often with little of a
	// PATH. Their entry names the program with its directory.
	editor bool
	// fields are the keys of the entry, in order, for a program and its arguments.
	fields func(program string) []field
	// places are its scopes, the default first.
	places []place
	// check is how to see that the client reached the server.
	check string
	// foreign finds in a file that its layout is one that we do not know.
	foreign func(doc map[string]any) string
}

// place is one scope of a client.
type place struct {
	scope Scope
	// path is the file, or those of which the first that exists is taken. Without one
	// the client alone can write it, for this reason.
	path   func(Where) []string
	reason string
	// add is the client's own command for the same.
	add func(program string, c client) []string
}

// clients are in the order in which they are named to users.
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
		return client{}, &UnknownClientError{name}
	}
	return clients[i], nil
}

// inWorkspace is what an editor puts the directory of the open project for.
const inWorkspace = "${workspaceFolder}"

func plainFields(program string, more ...field) []field {
	return append([]field{{"command", program}, {"args", []string{"mcp"}}}, more...)
}
