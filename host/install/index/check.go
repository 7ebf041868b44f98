package index

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/manifest/document"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// check applies the checks of [Parse] to an index about to be written. The error is an
// [*Error].
func (x Index) check() error {
	if x.Schema != Schema {
		return &Error{"schema", "must be " + strconv.Itoa(Schema)}
	}
	at := map[string]Archive{}
	for _, name := range slices.Sorted(maps.Keys(x.Plugins)) {
		if !manifest.ValidName(name) {
			return &Error{document.Path("plugins", name), manifest.NameFault(name)}
		}
		versions := x.Plugins[name].Versions
		if len(versions) == 0 {
			return &Error{document.Path("plugins", name, "versions"), "must have at least one version"}
		}
		for _, number := range slices.Sorted(maps.Keys(versions)) {
			path := document.Path("plugins", name, "versions", number)
			if !manifest.ValidVersion(number) {
				return &Error{path, manifest.VersionFault(number)}
			}
			if err := versions[number].check(path, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// check checks a version; at maps all addresses so far to their archives.
func (v Version) check(path string, at map[string]Archive) error {
	if fault := manifest.ProtocolsFault(v.Protocols); fault != "" {
		return &Error{path + ".protocols", fault}
	}
	if fault := document.TextFault(v.Summary, manifest.MaxSummary); fault != "" {
		return &Error{path + ".summary", fault}
	}
	if fault := manifest.PlatformsFault(v.Files); fault != "" {
		return &Error{path + ".files", fault}
	}
	for _, p := range slices.Sorted(maps.Keys(v.Files)) {
		a, path := v.Files[p], path+"."+document.Path("files", string(p))
		if fault := urlFault(a.URL); fault != "" {
			return &Error{path + ".url", fault}
		}
		if !manifest.ValidSHA256(a.SHA256) {
			return &Error{path + ".sha256", manifest.SHA256Fault(a.SHA256)}
		}
		if !manifest.ValidSHA256(a.BinSHA256) {
			return &Error{path + ".bin_sha256", manifest.SHA256Fault(a.BinSHA256)}
		}
		if other, taken := at[a.URL]; taken && other != a {
			return &Error{path + ".url", "is that of an archive with another hash"}
		}
		at[a.URL] = a
	}
	return nil
}

// maxURL bounds an address, in bytes: file systems allow no more.
const maxURL = 1024

// urlElement matches a name in an address, made of characters without a special meaning
// in an address or in a path on any system: no escapes, colon, backslash or query.
var urlElement = lazyregexp.New(`^[0-9A-Za-z_+~-][0-9A-Za-z._+~-]*$`)

// urlFault says why an address does not stay below the index, or nothing.
func urlFault(url string) string {
	switch {
	case url == "":
		return "is missing"
	case len(url) > maxURL:
		return fmt.Sprintf("has %d characters; the limit is %d", len(url), maxURL)
	}
	for element := range strings.SplitSeq(url, "/") {
		if !urlElement.MatchString(element) || strings.HasSuffix(element, ".") {
			return "must be a path below the index, with letters, digits and . _ + ~ - between slashes, and is " + prose.Quote(url)
		}
	}
	return ""
}
