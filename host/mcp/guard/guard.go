package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// Guard refuses requests that may not be answered.
type Guard struct {
	// Token is the bearer token that each request must have; empty means none.
	Token string
	// Path is where the server is.
	Path string
}

// Allow reports whether a request may be answered, and answers it if not. Any page in
// a browser can send requests to this machine: it must neither do so nor get the
// answer. One that points its own name to this machine is detected by the Host header. (The
// SDK compares it as well, but the end of a session stops its runs before that.)
func (g Guard) Allow(w http.ResponseWriter, r *http.Request) bool {
	if g.Token != "" && !hasToken(r, g.Token) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
		return false
	}
	probe := *r
	probe.Method = http.MethodPost // reading is as sensitive as writing here
	if err := http.NewCrossOriginProtection().Check(&probe); err != nil {
		http.Error(w, "Forbidden: "+err.Error(), http.StatusForbidden)
		return false
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && isLoopback(local.String()) && !isLoopback(r.Host) {
		http.Error(w, fmt.Sprintf("Forbidden: invalid Host header %q", r.Host), http.StatusForbidden)
		return false
	}
	if r.URL.Path != g.Path {
		http.Error(w, "there is nothing here; the server is at "+g.Path, http.StatusNotFound)
		return false
	}
	return true
}

// isLoopback reports whether an address, with or without a port, is this machine's alone.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// hasToken reports whether a request has the token, in constant time.
func hasToken(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	a, b := sha256.Sum256([]byte(strings.TrimSpace(given))), sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
