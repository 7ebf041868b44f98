package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The bounds of a report of runs. A million results take 150 MB; whoever waits at a
// terminal gives up before ten minutes are over.
const (
	maxReport   = 1 << 30
	reportLimit = 10 * time.Minute
)

// IsAddress reports whether a text is meant as an address and not as a path.
func IsAddress(text string) bool { return isURL(text) }

// Download writes a report of runs to a new file, and returns its address as it may be
// repeated. Like plugins, reports come over https://, and http:// from this machine alone.
// The address may have a ?, as those of CI services do that grant access for a while.
func Download(ctx context.Context, env []string, address, path string) (shown string, err error) {
	shown = redacted(address)
	u, err := url.Parse(address)
	refuse := func(reason string) (string, error) { return shown, &FetchError{Address: shown, Reason: reason} }
	switch {
	case err != nil:
		return refuse("it is not an address")
	case u.User != nil:
		return refuse("a name or password does not belong in an address")
	case u.Hostname() == "":
		return refuse("it names no host")
	case u.Scheme == "http" && !isLoopback(strings.ToLower(u.Hostname())):
		return refuse("http:// can be read and changed by anyone on the way; use https:// (http:// is for this machine alone, such as http://127.0.0.1/)")
	case u.Scheme != "https" && u.Scheme != "http":
		return refuse(fmt.Sprintf("reports come over https://, and not over %s://", clip(u.Scheme)))
	}
	u.Fragment, u.RawFragment = "", ""
	c, err := newWeb(Config{Env: env, whole: reportLimit}).open(ctx, u)
	if err == nil {
		c.address = shown
		_, err = c.save(ctx, path, maxReport, 0o600)
		err = errors.Join(err, c.Close())
	}
	if fetch, ok := errors.AsType[*FetchError](err); ok {
		fetch.Address = shown
	}
	return shown, err
}
