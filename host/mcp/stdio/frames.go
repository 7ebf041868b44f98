package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/proctorhq/proctor/host/mcp/trace"
	"github.com/proctorhq/proctor/host/prose"
)

const (
	// maxFrame bounds a message from a client.
	maxFrame = 16 << 20
	// maxBatch bounds the messages on a line: each invalid one is answered.
	maxBatch = 100
	// maxEcho bounds how much of a rejected message's id is repeated.
	maxEcho = 256
	// maxID is the largest number up to which most JSON parsers represent every integer
	// exactly.
	maxID = 1<<53 - 1
)

// frameReader reads the messages of a client, one on each line, and passes on those
// that the SDK accepts. Any other would end the connection, and with it the runs: it is
// answered here according to JSON-RPC 2.0, and dropped.
type frameReader struct {
	in *bufio.Reader
	// out receives a whole line at a time.
	out   io.Writer
	trace *trace.Log
	left  []byte // checked, but not requested yet
}

func newFrameReader(in io.Reader, out io.Writer, trace *trace.Log) *frameReader {
	return &frameReader{in: bufio.NewReaderSize(in, 64<<10), out: out, trace: trace}
}

func (f *frameReader) Read(p []byte) (int, error) {
	for len(f.left) == 0 {
		line, long, err := f.line()
		switch {
		case long:
			f.refuse(line[:min(len(line), maxEcho)], nil, jsonrpc.CodeInvalidRequest, "a message may have at most "+strconv.Itoa(maxFrame)+" bytes")
		case len(line) > 0:
			f.take(line)
		case err != nil:
			return 0, err
		}
	}
	n := copy(p, f.left)
	f.left = f.left[n:]
	return n, nil
}

// line reads a line without surrounding space. If it is too long, it reads to its end
// and returns the beginning.
func (f *frameReader) line() (line []byte, long bool, err error) {
	for {
		part, err := f.in.ReadSlice('\n')
		if len(line)+len(part) > maxFrame {
			long = true
		} else if !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// take passes on the message on a line. It passes on several in a list, which versions
// of the protocol before 2025-06-18 allow, one by one.
func (f *frameReader) take(line []byte) {
	if !json.Valid(line) {
		f.refuse(line, nil, jsonrpc.CodeParseError, "this is not JSON: a message is a JSON object on a line of its own")
		return
	}
	if line[0] != '[' {
		f.message(line)
		return
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 || len(batch) > maxBatch {
		f.refuse(line, nil, jsonrpc.CodeInvalidRequest, "a list must have 1 to "+strconv.Itoa(maxBatch)+" messages")
		return
	}
	for _, one := range batch {
		f.message(one)
	}
}

// message passes on a message, or answers an invalid one.
func (f *frameReader) message(raw []byte) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		f.refuse(raw, nil, jsonrpc.CodeInvalidRequest, "a message is a JSON object")
		return
	}
	id, hasID := m["id"]
	_, asks := m["method"]
	_, result := m["result"]
	_, failed := m["error"]
	_, err := jsonrpc.DecodeMessage(raw)
	switch {
	case !asks && (result || failed):
		if err != nil || !isFrameID(id) {
			f.trace.Raw("client", raw)
			return // responses are not answered
		}
	case string(m["jsonrpc"]) != `"2.0"`:
		f.refuse(raw, id, jsonrpc.CodeInvalidRequest, `"jsonrpc" must be "2.0"`)
		return
	case !asks:
		f.refuse(raw, id, jsonrpc.CodeInvalidRequest, `"method" is missing`)
		return
	case hasID && !isFrameID(id) && !isNotification(m["method"], id):
		f.refuse(raw, id, jsonrpc.CodeInvalidRequest, `"id" must be a string, or an integer of at most 53 bits`)
		return
	case err != nil:
		f.refuse(raw, id, jsonrpc.CodeInvalidRequest, beginning(prose.Line(err.Error())))
		return
	}
	f.left = append(append(f.left, raw...), '\n')
}

// beginning returns the part of a text that is repeated.
func beginning(text string) string {
	if len(text) > maxEcho {
		text = strings.ToValidUTF8(text[:maxEcho], "") + "…"
	}
	return text
}

// isFrameID reports whether an answer may have this id, according to the protocol and
// to how the SDK reads it.
func isFrameID(raw json.RawMessage) bool {
	if len(raw) > 0 && raw[0] == '"' {
		return true
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && n == math.Trunc(n) && math.Abs(n) <= maxID
}

// isNotification reports whether a message expects no answer although it has an id:
// some write null for none.
func isNotification(method, id json.RawMessage) bool {
	return string(id) == "null" && strings.HasPrefix(string(method), `"notifications/`)
}

// refuseID answers a call that has the id of another one. An answer with that id would
// belong to the other.
func (f *frameReader) refuseID(why string) { f.refuse(nil, nil, jsonrpc.CodeInvalidRequest, why) }

// refuse answers an invalid message. The answer has its id if the sender could
// recognize it.
func (f *frameReader) refuse(raw, id json.RawMessage, code int, why string) {
	if len(id) == 0 || len(id) > maxEcho || !strings.Contains(`"-0123456789`, string(id[0])) {
		id = json.RawMessage("null")
	}
	type wireError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	line, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   wireError       `json:"error"`
	}{"2.0", id, wireError{code, why}})
	if err != nil {
		return
	}
	f.trace.Raw("client", raw)
	f.trace.Raw("server", line)
	_, _ = f.out.Write(append(line, '\n')) // a client that is gone needs no answer
}

// endingReader is a reader that ends with ctx. A pipe may be silent forever, and not
// every one supports deadlines: then the pending read is abandoned.
type endingReader struct {
	ctx context.Context
	r   io.Reader

	mu    sync.Mutex
	moved *sync.Cond // something was read or requested, or has ended
	ahead []byte     // read, but not requested yet
	err   error      // of the end
}

// maxAhead is how much is read before anybody requests it: the end must be found even
// while an answer is blocked that the client does not take.
const maxAhead = 1 << 20

// newEndingReader starts reading. It calls atEnd when there is no more, which may be
// long before the last of it is requested.
func newEndingReader(ctx context.Context, r io.Reader, atEnd func()) *endingReader {
	e := &endingReader{ctx: ctx, r: r}
	e.moved = sync.NewCond(&e.mu)
	context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.moved.Broadcast()
	})
	go e.fetch(atEnd)
	return e
}

func (e *endingReader) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.ahead) == 0 && e.err == nil && e.ctx.Err() == nil {
		e.moved.Wait()
	}
	if len(e.ahead) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		return 0, io.EOF
	}
	n := copy(p, e.ahead)
	e.ahead = e.ahead[n:]
	e.moved.Broadcast()
	return n, nil
}

// fetch reads until the end.
func (e *endingReader) fetch(atEnd func()) {
	buf := make([]byte, 64<<10)
	for {
		n, err := e.r.Read(buf)
		if err != nil {
			atEnd()
		}
		if !e.put(buf[:n], err) {
			return
		}
	}
}

// put adds what was read as soon as there is room, and reports whether there may be
// more.
func (e *endingReader) put(data []byte, err error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.ahead) >= maxAhead && e.ctx.Err() == nil {
		e.moved.Wait()
	}
	e.ahead, e.err = append(e.ahead, data...), err
	e.moved.Broadcast()
	return err == nil && e.ctx.Err() == nil
}
