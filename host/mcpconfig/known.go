package mcpconfig

import (
	"path/filepath"
	"strconv"
)

// The clients, according to their documentation; docs/mcp-clients.md says what was
// tried.
var (
	claude = client{
		name: "claude", title: "Claude Code", container: []string{"mcpServers"},
		fields: func(program string) []field {
			return append([]field{{"type", "stdio"}}, plainFields(program, field{"timeout", callSeconds * 1000})...)
		},
		places: []place{
			{scope: Project, path: inProject(".mcp.json"), add: claudeAdd(Project)},
			{scope: User, add: claudeAdd(User), reason: "Claude Code writes ~/.claude.json all the time while it runs, so let it add the entry itself"},
		},
		check: "claude mcp list, once you have approved the server in a session (/mcp)",
	}
	codex = client{
		name: "codex", title: "Codex", format: tomlFormat, container: []string{"mcp_servers"},
		fields: func(program string) []field {
			return plainFields(program, field{"startup_timeout_sec", startSeconds}, field{"tool_timeout_sec", callSeconds})
		},
		places: []place{
			{scope: User, path: func(w Where) []string { return []string{filepath.Join(w.codexHome(), "config.toml")} },
				add: func(program string, _ client) []string {
					return []string{"codex", "mcp", "add", serverName, "--", program, "mcp"}
				}},
			{scope: Project, path: inProject(".codex", "config.toml")},
		},
		check: "codex mcp get " + serverName,
	}
	gemini = client{
		name: "gemini", title: "Gemini CLI", container: []string{"mcpServers"},
		fields: func(program string) []field { return plainFields(program, field{"timeout", callSeconds * 1000}) },
		places: []place{
			{scope: Project, path: inProject(".gemini", "settings.json"), add: geminiAdd(Project)},
			{scope: User, path: inHome(".gemini", "settings.json"), add: geminiAdd(User)},
		},
		check: "gemini mcp list, in a folder that Gemini CLI trusts",
	}
	cursor = client{
		name: "cursor", title: "Cursor", container: []string{"mcpServers"}, editor: true,
		fields: func(program string) []field {
			return []field{{"command", program}, {"args", []string{"mcp", "--workspace", inWorkspace}}}
		},
		places: []place{
			{scope: Project, path: inProject(".cursor", "mcp.json")},
			{scope: User, path: inHome(".cursor", "mcp.json")},
		},
		check: "Cursor's settings, MCP: the server has a green dot and lists its tools",
	}
	vscode = client{
		name: "vscode", title: "VS Code", container: []string{"servers"}, editor: true,
		fields: func(program string) []field {
			return []field{{"type", "stdio"}, {"command", program}, {"args", []string{"mcp", "--workspace", inWorkspace}}}
		},
		places: []place{
			{scope: Project, path: inProject(".vscode", "mcp.json")},
			{scope: User, reason: "VS Code keeps it in the profile that is in use, so let it add the entry itself",
				add: func(program string, c client) []string {
					return []string{"code", "--add-mcp", object(append([]field{{"name", serverName}}, c.fields(program)...))}
				}},
		},
		check: "the command \"MCP: List Servers\" in VS Code",
	}
	opencode = client{
		name: "opencode", title: "OpenCode", container: []string{"mcp"},
		fields: func(program string) []field {
			return []field{{"type", "local"}, {"command", []string{program, "mcp"}}, {"enabled", true}, {"timeout", callSeconds * 1000}}
		},
		places: []place{
			{scope: Project, path: func(w Where) []string {
				return []string{filepath.Join(w.Project, "opencode.json"), filepath.Join(w.Project, "opencode.jsonc")}
			}},
			{scope: User, path: func(w Where) []string {
				dir := filepath.Join(w.configHome(), "opencode")
				return []string{filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc")}
			}},
		},
		check: "opencode mcp list",
		foreign: func(doc map[string]any) string {
			servers, _ := doc["mcp"].(map[string]any)
			inner, ok := servers["servers"].(map[string]any)
			if _, server := inner["type"]; !ok || server {
				return ""
			}
			return "it has the layout of OpenCode 2, where servers are in mcp.servers; add the entry there by hand, without \"enabled\" and \"timeout\""
		},
	}
	zed = client{
		name: "zed", title: "Zed", container: []string{"context_servers"}, editor: true,
		fields: func(program string) []field { return plainFields(program, field{"timeout", zedSeconds}) },
		places: []place{
			{scope: User, path: func(w Where) []string { return []string{filepath.Join(w.zedHome(), "settings.json")} }},
			{scope: Project, path: inProject(".zed", "settings.json")},
		},
		check: "the settings of Zed's agent panel: the server has a green dot",
	}
)

func claudeAdd(s Scope) func(string, client) []string {
	return func(program string, _ client) []string {
		return []string{"claude", "mcp", "add", "--scope", string(s), serverName, "--", program, "mcp"}
	}
}

func geminiAdd(s Scope) func(string, client) []string {
	return func(program string, _ client) []string {
		return []string{"gemini", "mcp", "add", "--scope", string(s), "--timeout", strconv.Itoa(callSeconds * 1000), serverName, program, "mcp"}
	}
}
