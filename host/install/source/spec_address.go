package source

import (
	"net"
	"net/url"
	"path"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// notAnIndex is the advice for an archive's own address.
const notAnIndex = "an archive is installed by the index that names it, or by its path once it is downloaded"

// isURL reports whether a text is meant as an address.
func isURL(text string) bool {
	scheme, _, found := strings.Cut(text, "://")
	return found && scheme != "" && !strings.ContainsAny(scheme, `/\.@#?`)
}

// parseIndex parses the address of an index.
func parseIndex(text string) (Spec, error) {
	refuse := func(reason string) (Spec, error) {
		return Spec{}, &SpecError{Text: redacted(text), Reason: reason}
	}
	u, err := url.Parse(text)
	if err != nil {
		// The text of err has the whole address, which may contain a password.
		return refuse("it is not an address")
	}
	name := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	u.Host = strings.ToLower(u.Host)
	switch {
	case u.User != nil:
		return refuse("an address must not contain a name or password, as lock files and messages repeat it")
	case u.RawQuery != "" || u.ForceQuery:
		return refuse("an index is a plain file, and an address with a ? cannot have archives beside it")
	case strings.HasSuffix(u.Path, "/") || u.Path == "":
		return refuse("name the file, such as index.json after it")
	case name != "" && !manifest.ValidName(name):
		return Spec{}, &SpecError{Text: clip(name), Reason: "what follows # is not the name of a plugin: a name has lower-case letters, digits and dashes, and may be followed by a constraint like @1.2.3 or @'~> 1.2'"}
	case strings.HasSuffix(u.Path, ".tar.gz") || strings.HasSuffix(u.Path, ".zip"):
		return refuse(notAnIndex)
	}
	switch u.Scheme {
	case "https":
		u.Host = strings.TrimSuffix(u.Host, ":443")
	case "http":
		if !isLoopback(u.Hostname()) {
			return refuse("http:// can be read and changed by anyone on the way; use https:// (http:// is for this machine alone, such as http://127.0.0.1/)")
		}
		u.Host = strings.TrimSuffix(u.Host, ":80")
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return refuse("a file:// address has three slashes: file:///dir/index.json")
		}
		u.Host = ""
	default:
		return refuse("plugins come over https:// or file://")
	}
	if u.Hostname() == "" && u.Scheme != "file" {
		return refuse("it names no host")
	}
	// An index has one address, which its key is pinned to.
	u = u.JoinPath()
	return Spec{Kind: Index, Address: u.String(), Name: name}, nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// beside returns the address of a file beside or below an index.
func beside(base *url.URL, relative string) *url.URL {
	u := *base
	// Path is unescaped: a % or ? in a file's name is part of the path.
	u.Path, u.RawPath = path.Join(path.Dir(base.Path), relative), ""
	return &u
}

// redacted returns an address without a possible password, for messages.
func redacted(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if at := strings.LastIndexByte(rest, '@'); found && at >= 0 {
		text = scheme + "://..." + rest[at:]
	}
	if query := strings.IndexByte(text, '?'); found && query >= 0 {
		text = text[:query] + "?..."
	}
	return clip(text)
}
