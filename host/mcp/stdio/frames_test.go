package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// refusal is an answer to an invalid message.
type refusal struct {
	ID    json.RawMessage `json:"id"`
	Error struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func TestInvalidMessagesAreAnsweredAndSkipped(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, c := range map[string]struct {
		line string
		// pass is what is passed on, if not the line; id and code are those of the
		// answer.
		pass string
		id   string
		code int
	}{
		"a call":                      {line: ping},
		"a call with a name":          {line: `{"jsonrpc":"2.0","id":"a\"b","method":"ping"}`},
		"a large integer":             {line: `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`},
		"an integer with a point":     {line: `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`},
		"a notification":              {line: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		"a notification with null":    {line: `{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`},
		"an answer":                   {line: `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"a failure":                   {line: `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`},
		"deep arguments":              {line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + deep(900) + `}}`},
		"a line end of Windows":       {line: ping + "\r", pass: ping + "\n"},
		"nothing":                     {line: " \t\r", pass: "-"},
		"a list":                      {line: `[` + ping + `, ` + ping + `]`, pass: ping + "\n" + ping + "\n"},
		"prose":                       {line: `hello`, id: "null", code: -32700},
		"half a message":              {line: ping[:20], id: "null", code: -32700},
		"two messages":                {line: ping + ping, id: "null", code: -32700},
		"null":                        {line: `null`, id: "null", code: -32600},
		"a number":                    {line: `5`, id: "null", code: -32600},
		"an empty list":               {line: `[]`, id: "null", code: -32600},
		"a list of nothing":           {line: `[1]`, id: "null", code: -32600},
		"a long list":                 {line: `[1` + strings.Repeat(",1", maxBatch) + `]`, id: "null", code: -32600},
		"an empty object":             {line: `{}`, id: "null", code: -32600},
		"no version":                  {line: `{"id":7,"method":"ping"}`, id: "7", code: -32600},
		"another version":             {line: `{"jsonrpc":"1.0","id":"x","method":"ping"}`, id: `"x"`, code: -32600},
		"no method":                   {line: `{"jsonrpc":"2.0","id":7}`, id: "7", code: -32600},
		"a method that is no name":    {line: `{"jsonrpc":"2.0","id":7,"method":1}`, id: "7", code: -32600},
		"an id that is an object":     {line: `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, id: "null", code: -32600},
		"an id that is nothing":       {line: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, id: "null", code: -32600},
		"a broken number":             {line: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, id: "1.5", code: -32600},
		"a number without end":        {line: `{"jsonrpc":"2.0","id":99999999999999999999999,"method":"ping"}`, id: "99999999999999999999999", code: -32600},
		"a number between two others": {line: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, id: "9007199254740993", code: -32600},
		"a number of a thousand":      {line: `{"jsonrpc":"2.0","id":` + strings.Repeat("9", 1000) + `,"method":"ping"}`, id: "null", code: -32600},
		"arguments too deep":          {line: `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":` + deep(1100) + `}}`, id: "7", code: -32600},
		"deeper than any":             {line: deep(20000), id: "null", code: -32700},
		"a call with a broken error":  {line: `{"jsonrpc":"2.0","id":7,"method":"ping","error":"x"}`, id: "7", code: -32600},
		"a line that is too long":     {line: strings.Repeat(" ", maxFrame) + ping, id: "null", code: -32600},
		// Two peers that answer each other's answers would never stop.
		"an answer to nobody":  {line: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`, pass: "-"},
		"an invalid answer":    {line: `{"jsonrpc":"2.0","id":1,"error":"x"}`, pass: "-"},
		"an answer without id": {line: `{"jsonrpc":"2.0","result":{}}`, pass: "-"},
	} {
		for how, in := range map[string]io.Reader{"": strings.NewReader(c.line + "\n" + ping), " byte by byte": iotest.OneByteReader(strings.NewReader(c.line + "\n" + ping))} {
			if how != "" && len(c.line) > 1<<20 {
				continue
			}
			var out bytes.Buffer
			got, err := io.ReadAll(newFrameReader(in, &out, nil))
			want := c.line + "\n"
			if c.pass != "" || c.code != 0 {
				want = strings.TrimPrefix(c.pass, "-")
			}
			if want += ping + "\n"; err != nil || string(got) != want {
				t.Errorf("%s%s: %v: passed on: %.200q", name, how, err, got)
			}
			if c.code == 0 {
				if out.Len() > 0 {
					t.Errorf("%s%s: answered %s", name, how, &out)
				}
				continue
			}
			var r refusal
			if err := json.Unmarshal(out.Bytes(), &r); err != nil || strings.Count(out.String(), "\n") != 1 || string(r.ID) != c.id || r.Error.Code != c.code || r.Error.Message == "" {
				t.Errorf("%s%s: %v: answered %.300s", name, how, err, &out)
			}
		}
	}
}

// A client may send many small messages and close its end while nobody takes them; its
// end is noticed nevertheless.
func TestTheEndOfInputIsSeenBeforeEarlierMessagesAreRead(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	ended := make(chan struct{})
	in := newEndingReader(t.Context(), r, func() { close(ended) })
	for range 1000 {
		io.WriteString(w, "a message\n")
	}
	w.Close()
	<-ended
	all, err := io.ReadAll(in)
	if want := strings.Repeat("a message\n", 1000); err != nil || string(all) != want {
		t.Errorf("%d bytes of %d, %v", len(all), len(want), err)
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in := newEndingReader(ctx, r, func() {})
	read := make(chan error)
	go func() {
		_, err := in.Read(make([]byte, 10))
		read <- err
	}()
	cancel()
	if err := <-read; err != io.EOF {
		t.Errorf("%v", err)
	}
}

// Two seconds after the end of the input some clients send a signal that kills a
// server.
func TestAServerEndsBeforeClientsKillIt(t *testing.T) {
	if longest := lastWords + farewell; longest > 3*time.Second/2 {
		t.Errorf("the end may take %v", longest)
	}
}
