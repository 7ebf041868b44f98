package source

import (
	"fmt"
	"net/http"
)

// redirectError reports a redirect that we do not follow.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

// checkRedirect keeps redirects within what the user asked for: never out of https, and
// never to another kind of address.
func checkRedirect(req *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, req.URL
	// Where we come from is nobody's business.
	req.Header.Del("Referer")
	refuse := func(why string) error {
		return &redirectError{fmt.Sprintf("it is redirected to %s, %s", clip(to.Scheme+"://"+to.Host), why)}
	}
	switch {
	case len(via) > maxRedirects:
		return &redirectError{fmt.Sprintf("it is redirected more than %d times", maxRedirects)}
	case to.User != nil:
		return refuse("with a name or password in the address")
	case to.Scheme == "https":
		return nil
	case to.Scheme == "http" && from.Scheme == "http" && isLoopback(to.Hostname()):
		return nil
	}
	return refuse("which is not https")
}
