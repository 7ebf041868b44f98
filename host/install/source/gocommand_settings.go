package source

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/workspace"
)

// kept are the user's variables that the go command gets: where programs and the user's
// folders are, and how to reach the network.
var kept = [...]string{
	"PATH", "HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "SYSTEMROOT", "COMSPEC", "PATHEXT",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK", "NETRC",
}

// asked are the Go settings that apply, from variables or Go's own file: where modules
// come from, who vouches for them, and where they are kept. All others have their
// defaults, above all GOFLAGS and everything about building.
var asked = [...]string{
	"GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB", "GOAUTH", "GOTOOLCHAIN", "GOPATH", "GOMODCACHE", "GOCACHE",
}

// nowhere is an address at which nothing is found, without a network.
const nowhere = "file:///nonexistent"

// settle determines the user's settings and builds the environment from them.
func (c *goCommand) settle(ctx context.Context, cfg Config, temp string) error {
	var base []string
	for _, name := range kept {
		if value := workspace.Getenv(cfg.Env, name); value != "" {
			base = append(base, name+"="+value)
		}
	}
	base = append(base,
		"GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0", "LC_ALL=C",
		"GOBIN="+c.bin, "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp,
		"GIT_TERMINAL_PROMPT=0", // never ask the user
	)
	c.env = append(append([]string{}, base...), "GOTOOLCHAIN=local")
	for _, name := range append([]string{"GOENV"}, asked[:]...) {
		if value := workspace.Getenv(cfg.Env, name); value != "" && name != "GOTOOLCHAIN" {
			c.env = append(c.env, name+"="+value)
		}
	}
	out, err := c.run(ctx, append([]string{"env", "-json"}, asked[:]...)...)
	if err != nil {
		return err
	}
	settings := map[string]string{}
	if err := json.Unmarshal(out, &settings); err != nil {
		return &FetchError{Address: c.address, Reason: "`go env -json` cannot be understood", Err: err}
	}
	if !filepath.IsAbs(settings["GOMODCACHE"]) {
		return &FetchError{Address: c.address, Reason: errNoCache.Error(), Err: errNoCache}
	}
	c.database, c.excepted = settings["GOSUMDB"], settings["GONOSUMDB"]
	settings["GOTOOLCHAIN"] = cmp.Or(workspace.Getenv(cfg.Env, "GOTOOLCHAIN"), "local")
	if cfg.Offline {
		takeOff(settings)
	}
	c.env = append(base, "GOENV=off")
	for _, name := range asked {
		if value := settings[name]; value != "" {
			c.env = append(c.env, name+"="+value)
		}
	}
	return nil
}

// takeOff keeps the go command off every network: modules come from directories and the
// cache, and the cached part of the checksum database vouches for them. If that is not
// enough the go command refuses.
func takeOff(settings map[string]string) {
	var local []string
	for _, proxy := range strings.FieldsFunc(settings["GOPROXY"], func(r rune) bool { return r == ',' || r == '|' }) {
		if strings.HasPrefix(proxy, "file://") {
			local = append(local, proxy)
		}
	}
	cache := filepath.ToSlash(filepath.Join(settings["GOMODCACHE"], "cache", "download"))
	if !strings.HasPrefix(cache, "/") {
		cache = "/" + cache // a drive
	}
	local = append(local, (&url.URL{Scheme: "file", Path: cache}).String())
	settings["GOPROXY"] = strings.Join(local, ",")
	// Private modules would be fetched from their hosts.
	settings["GONOPROXY"] = "none"
	settings["GOTOOLCHAIN"] = "local"
	if database, _, _ := strings.Cut(settings["GOSUMDB"], " "); database != "off" {
		if database == "" || database == "sum.golang.google.cn" {
			database = "sum.golang.org" // one database under two addresses
		}
		settings["GOSUMDB"] = database + " " + nowhere
	}
}
