package source

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyOf finds the proxy for a request from an environment's variables, in upper or
// lower case, like curl and Go.
func proxyOf(env []string) func(*http.Request) (*url.URL, error) {
	cfg := httpproxy.Config{
		HTTPProxy:  cmp.Or(getenv(env, "HTTP_PROXY"), getenv(env, "http_proxy")),
		HTTPSProxy: cmp.Or(getenv(env, "HTTPS_PROXY"), getenv(env, "https_proxy")),
		NoProxy:    cmp.Or(getenv(env, "NO_PROXY"), getenv(env, "no_proxy")),
	}
	find := cfg.ProxyFunc()
	return func(req *http.Request) (*url.URL, error) {
		proxy, err := find(req.URL)
		if err != nil {
			// The text of err has the whole variable, which may contain a password.
			return nil, errors.New("the proxy in HTTPS_PROXY or HTTP_PROXY is no address")
		}
		return proxy, nil
	}
}

// getenv returns the value of a variable; the last entry counts, as for started
// programs.
func getenv(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if n, value, _ := strings.Cut(env[i], "="); n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}
