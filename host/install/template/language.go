package template

import (
	"fmt"
	"slices"
	"strings"
)

// Language is the language that a plugin is written in.
type Language string

// The languages.
const (
	Go     Language = "go"
	Node   Language = "node"
	Python Language = "python"
)

// languages are in the order in which they are offered.
var languages = [...]Language{Go, Node, Python}

// ParseLanguage parses a name.
func ParseLanguage(name string) (Language, error) {
	if slices.Contains(languages[:], Language(name)) {
		return Language(name), nil
	}
	var names []string
	for _, l := range languages {
		names = append(names, string(l))
	}
	return "", fmt.Errorf("there is no template in %q, only in %s; a plugin in any other language follows sdk/PROTOCOL.md", name, strings.Join(names, ", "))
}

// parts returns the directories below files that make up a plugin in the language.
func (l Language) parts() []string {
	return []string{"shared", string(l)}
}

// tls returns the manifest's TLS mode. Of the libraries used by the templates, only
// Go's can make a certificate.
func (l Language) tls() string {
	if l == Go {
		return "auto"
	}
	return "none"
}
