package quarantine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/atomicfile"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/sdk"
)

// FileName is the name of the file in a workspace's root.
const FileName = ".proctor-quarantine.toml"

const (
	// maxText bounds each text of an entry, in bytes.
	maxText = 1000
	// maxSignatures bounds the known failures of a test.
	maxSignatures = 10
	// dateFormat is that of a day.
	dateFormat = "2006-01-02"
)

// Entry is a test in quarantine.
type Entry struct {
	Language string
	sdk.TestID
	Reason, Link string
	// Expires is the last day on which the entry counts; empty means that all do.
	Expires string
	// Signatures are those of the known failure; see [SignatureOf].
	Signatures []string
	// Line is where the file has it.
	Line int
}

// IsExpired reports whether the entry no longer counts.
func (e Entry) IsExpired(now time.Time) bool {
	return e.Expires != "" && now.UTC().Format(dateFormat) > e.Expires
}

func (e Entry) isOf(other Entry) bool {
	return e.Language == other.Language && e.TestID == other.TestID
}

func compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Language, b.Language), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
}

// File is the file of a workspace.
type File struct {
	Path    string
	Entries []Entry
	// head is what precedes the entries, and texts are theirs with the comments above.
	head  string
	texts []string
}

// Load reads the file of a workspace; without one nothing is in quarantine. Every
// problem is a [*api.UsageError]: an unreadable entry excuses nothing, and must not look as
// if it did.
func Load(root string) (*File, error) {
	path := filepath.Join(root, FileName)
	data, err := config.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Path: path}, nil
	}
	f := &File{Path: path}
	if err == nil {
		err = f.decode(data)
	}
	if err == nil {
		return f, nil
	}
	wrong, ok := errors.AsType[*config.Error](err)
	if !ok {
		wrong = &config.Error{Reason: "it cannot be read: " + err.Error()}
	}
	wrong.File = path
	return nil, &api.UsageError{Reason: wrong.Error()}
}

// table is a table of the file as written.
type table struct {
	at   int // its offset, of the comments above
	line int
	keys map[string]int // their lines
}

// decode takes the entries. It accepts only the one form that this package writes, so
// that a reviewer finds an entry where it looks like one.
func (f *File) decode(data []byte) error {
	var document struct {
		Test []map[string]any `toml:"test"`
	}
	if err := toml.Unmarshal(data, &document); err != nil {
		e := &config.Error{Reason: "the text is not valid TOML: " + err.Error(), Err: err}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			e.Line, _ = at.Position()
		}
		return e
	}
	tables, err := readTables(data)
	if err != nil {
		return err
	}
	if len(tables) != len(document.Test) {
		return &config.Error{Line: 1, Reason: "it has entries in another form", Fix: "begin each with [[test]]"}
	}
	f.head = string(data)
	if len(tables) > 0 {
		f.head = string(data[:tables[0].at])
	}
	for i, values := range document.Test {
		e, err := tables[i].entry(values)
		if err != nil {
			return err
		}
		if at := slices.IndexFunc(f.Entries, e.isOf); at >= 0 {
			return &config.Error{Line: e.Line, Reason: fmt.Sprintf("%q is in quarantine in line %d already", clip(e.Test), f.Entries[at].Line), Fix: "remove one of the two"}
		}
		end := len(data)
		if i+1 < len(tables) {
			end = tables[i+1].at
		}
		f.Entries, f.texts = append(f.Entries, e), append(f.texts, string(data[tables[i].at:end]))
	}
	return nil
}

// readTables finds the tables of a valid text.
func readTables(data []byte) ([]table, error) {
	var tables []table
	lineOf := func(offset int) int { return bytes.Count(data[:offset], []byte{'\n'}) + 1 }
	var parser unstable.Parser
	parser.Reset(data)
	for parser.NextExpression() {
		node := parser.Expression()
		var names []string
		offset := 0
		for key := node.Key(); key.Next(); {
			if len(names) == 0 {
				offset = int(key.Node().Raw.Offset)
			}
			names = append(names, string(key.Node().Data))
		}
		line := lineOf(offset)
		switch {
		case node.Kind == unstable.ArrayTable && slices.Equal(names, []string{"test"}):
			tables = append(tables, table{at: withComments(data, offset), line: line, keys: map[string]int{}})
		case node.Kind == unstable.KeyValue && len(tables) > 0 && len(names) == 1:
			tables[len(tables)-1].keys[names[0]] = line
		default:
			return nil, &config.Error{Line: line, Reason: fmt.Sprintf("%q is unknown here", clip(strings.Join(names, "."))), Fix: "it has only [[test]] tables with simple keys"}
		}
	}
	return tables, nil
}

// withComments returns the offset of the line of an offset, or of the comments directly
// above it.
func withComments(data []byte, offset int) int {
	begin := bytes.LastIndexByte(data[:offset], '\n') + 1
	for begin > 0 {
		above := bytes.LastIndexByte(data[:begin-1], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimLeft(data[above:begin], " \t"), []byte{'#'}) {
			break
		}
		begin = above
	}
	return begin
}

// entry takes an entry.
func (t table) entry(values map[string]any) (Entry, error) {
	e := Entry{Line: t.line}
	texts := map[string]*string{"language": &e.Language, "suite": &e.Suite, "test": &e.Test, "reason": &e.Reason, "link": &e.Link}
	wrong := func(key, reason, fix string) error {
		line := t.line
		if at, ok := t.keys[key]; ok {
			line = at
		}
		return &config.Error{Line: line, Key: shown(key), Reason: reason, Fix: fix}
	}
	for _, key := range slices.SortedFunc(mapKeys(values), func(a, b string) int { return cmp.Compare(t.keys[a], t.keys[b]) }) {
		value := values[key]
		text, _ := value.(string)
		switch {
		case texts[key] != nil:
			if strings.TrimSpace(text) == "" || len(text) > maxText || strings.ContainsFunc(text, isUnfit) {
				return e, wrong(key, "is not a text of one line", fmt.Sprintf("give one in quotes, of at most %d bytes", maxText))
			}
			*texts[key] = text
		case key == "expires":
			if e.Expires = dayOf(value); e.Expires == "" {
				return e, wrong(key, "is not a date", "give a day such as 2026-12-31")
			}
		case key == "signature":
			if e.Signatures = signaturesIn(value); len(e.Signatures) == 0 {
				return e, wrong(key, "is not the signature of a failure", "have it written from a failure on record")
			}
		default:
			return e, wrong(key, "is unknown", "known: language, suite, test, reason, link, expires, signature")
		}
	}
	for _, key := range []string{"language", "suite", "test", "reason", "signature"} {
		if _, given := values[key]; !given {
			return e, wrong(key, "is missing", "an entry needs language, suite, test, reason and signature")
		}
	}
	return e, nil
}

func mapKeys(values map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range values {
			if !yield(key) {
				return
			}
		}
	}
}

func isUnfit(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }

// shown returns a key for a message: one that is odd in quotes.
func shown(key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return strconv.Quote(clip(key))
	}
	return clip(key)
}

func clip(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "..."
	}
	return text
}

// ParseDay returns a day in the format of the file; empty if the text is not a day.
func ParseDay(text string) string {
	if _, err := time.Parse(dateFormat, text); err != nil {
		return ""
	}
	return text
}

func dayOf(value any) string {
	switch v := value.(type) {
	case toml.LocalDate:
		return ParseDay(v.String())
	case string:
		return ParseDay(v)
	}
	return ""
}

func signaturesIn(value any) []string {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	var signatures []string
	for _, one := range list {
		text, _ := one.(string)
		if !signature.MatchString(text) {
			return nil
		}
		signatures = append(signatures, text)
	}
	if len(signatures) > maxSignatures {
		return nil
	}
	return signatures
}

// Add adds an entry, or replaces that of its test, and keeps the file sorted.
func (f *File) Add(e Entry) error {
	text := e.text()
	if at := slices.IndexFunc(f.Entries, e.isOf); at >= 0 {
		text = comments(f.texts[at]) + text
	}
	probe := &File{}
	if err := probe.decode([]byte(text)); err != nil {
		return err
	}
	_ = f.Remove(e)
	f.sort()
	at, _ := slices.BinarySearchFunc(f.Entries, e, compare)
	f.Entries, f.texts = slices.Insert(f.Entries, at, e), slices.Insert(f.texts, at, text)
	return nil
}

// comments returns the lines of an entry before its table.
func comments(text string) string {
	for at := 0; ; {
		line, _, more := strings.Cut(text[at:], "\n")
		if !more || !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			return text[:at]
		}
		at += len(line) + 1
	}
}

// sort sorts the entries with their texts.
func (f *File) sort() {
	order := make([]int, len(f.Entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(f.Entries[a], f.Entries[b]) })
	entries, texts := make([]Entry, len(order)), make([]string, len(order))
	for i, from := range order {
		entries[i], texts[i] = f.Entries[from], f.texts[from]
	}
	f.Entries, f.texts = entries, texts
}

// Remove removes the entry of a test; ok reports whether there was one.
func (f *File) Remove(e Entry) (ok bool) {
	at := slices.IndexFunc(f.Entries, e.isOf)
	if at < 0 {
		return false
	}
	f.Entries, f.texts = slices.Delete(f.Entries, at, at+1), slices.Delete(f.texts, at, at+1)
	return true
}

// text returns a new entry as the file has it.
func (e Entry) text() string {
	var b strings.Builder
	b.WriteString("[[test]]\n")
	add := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s = %s\n", key, value)
		}
	}
	add("language", quote(e.Language))
	add("suite", quote(e.Suite))
	add("test", quote(e.Test))
	add("reason", quote(e.Reason))
	add("link", quote(e.Link))
	add("expires", e.Expires)
	signatures := slices.Sorted(slices.Values(e.Signatures))
	if len(signatures) == 1 {
		add("signature", quote(signatures[0]))
	} else {
		for i, s := range signatures {
			signatures[i] = quote(s)
		}
		add("signature", "["+strings.Join(signatures, ", ")+"]")
	}
	return b.String()
}

// quote quotes a text for TOML, whose escapes are fewer than Go's.
func quote(text string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// head begins a new file.
const head = "# Tests whose known failure does not decide a verdict. Review every change of this file.\n"

// Write writes the file, whole or not at all.
func (f *File) Write() error {
	text := strings.TrimRight(f.head, "\n \t")
	if text == "" {
		text = strings.TrimRight(head, "\n")
	}
	for _, entry := range f.texts {
		text += "\n\n" + strings.Trim(entry, "\n")
	}
	_, err := atomicfile.Write(f.Path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, text+"\n")
		return err
	})
	return err
}
