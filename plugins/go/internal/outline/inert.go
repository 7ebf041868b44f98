package outline

// inert are standard library packages whose import alone changes nothing that another
// package could notice. It excludes those that register something, such as image
// formats, hashes, or handlers of net/http.
var inert = map[string]bool{
	"bufio": true, "bytes": true, "cmp": true, "container/heap": true, "container/list": true, "container/ring": true,
	"context": true, "encoding": true, "encoding/base32": true, "encoding/base64": true, "encoding/binary": true,
	"encoding/csv": true, "encoding/hex": true, "encoding/json": true, "encoding/xml": true, "errors": true, "fmt": true,
	"go/ast": true, "go/format": true, "go/parser": true, "go/scanner": true, "go/token": true,
	"hash": true, "hash/crc32": true, "hash/crc64": true, "hash/fnv": true, "hash/maphash": true, "html": true,
	"html/template": true, "io": true, "io/fs": true, "io/ioutil": true, "iter": true, "log": true, "log/slog": true,
	"maps": true, "math": true, "math/big": true, "math/bits": true, "math/cmplx": true, "math/rand": true,
	"math/rand/v2": true, "mime": true, "net/netip": true, "net/url": true, "os": true, "os/exec": true, "os/signal": true,
	"path": true, "path/filepath": true, "reflect": true, "regexp": true, "regexp/syntax": true, "runtime": true,
	"runtime/debug": true, "slices": true, "sort": true, "strconv": true, "strings": true, "sync": true,
	"sync/atomic": true, "syscall": true, "testing": true, "testing/fstest": true, "testing/iotest": true,
	"testing/quick": true, "text/scanner": true, "text/tabwriter": true, "text/template": true, "time": true,
	"unicode": true, "unicode/utf16": true, "unicode/utf8": true, "unique": true, "unsafe": true, "weak": true,
}
