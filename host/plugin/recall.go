package plugin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/host/atomicfile"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// Answers are what plugins answered to the questions before a run. A plugin takes some ten
// milliseconds to start: meanwhile what it answered last time is given in its place, and a
// run can begin. Nothing of that run counts before the plugin itself has given the same
// answers; see [Plugin.Confirm].
//
// They are in a file of the user's: a repository must not decide what is executed. If
// anything is wrong with it, nothing is recalled.
type Answers struct {
	path string
	now  func() time.Time

	mu   sync.Mutex
	kept []answer // the latest first
	// changed reports whether they differ from the file.
	changed bool
}

// answer is the answer of a binary to one question.
type answer struct {
	Binary binaryIdentity `json:"binary"`
	Call   string         `json:"call"`
	// Question is a hash of it.
	Question string `json:"question"`
	Reply    []byte `json:"reply"`
	// Again reports whether it was given twice in a row. One with something random in it
	// never is, and is not recalled.
	Again bool `json:"again,omitempty"`
}

func (a answer) isTo(q answer) bool {
	return a.Binary == q.Binary && a.Call == q.Call && a.Question == q.Question
}

const (
	// answersFile is the file's name.
	answersFile = "answers.json"
	// maxAnswers bounds how many are kept, maxReply each, and maxAnswersFile the file.
	maxAnswers     = 48
	maxReply       = 8 << 10
	maxAnswersFile = 1 << 20
)

// OpenAnswers reads the answers in a directory of the user's for runs in a workspace.
// Nothing is recalled from inside the workspace.
func OpenAnswers(dir, root string, now func() time.Time) *Answers {
	a := &Answers{now: now}
	if !filepath.IsAbs(dir) || liesIn(dir, root) {
		return a
	}
	a.path = filepath.Join(dir, answersFile)
	f, err := openOwn(a.path)
	if err != nil {
		return a
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxAnswersFile+1))
	if err != nil || len(raw) > maxAnswersFile || json.Unmarshal(raw, &a.kept) != nil {
		a.kept = nil
	}
	a.kept = a.kept[:min(len(a.kept), maxAnswers)]
	return a
}

// find returns the answer to a question if it can be given in the plugin's place.
func (a *Answers) find(q answer) (reply []byte, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range a.kept {
		if k.isTo(q) {
			return k.Reply, k.Again
		}
	}
	return nil, false
}

// keep keeps what a plugin answered.
func (a *Answers) keep(given answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.kept, given.isTo)
	if i >= 0 {
		given.Again = bytes.Equal(a.kept[i].Reply, given.Reply)
		if given.Again && a.kept[i].Again {
			return
		}
		a.kept = slices.Delete(a.kept, i, i+1)
	}
	if len(given.Reply) <= maxReply {
		a.kept = slices.Insert(a.kept, 0, given)
	}
	a.kept, a.changed = a.kept[:min(len(a.kept), maxAnswers)], true
}

// forget forgets what a binary answered.
func (a *Answers) forget(binary binaryIdentity) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.kept)
	a.kept = slices.DeleteFunc(a.kept, func(k answer) bool { return k.Binary == binary })
	a.changed = a.changed || len(a.kept) < n
}

// save writes the file if something changed. A failure does not matter: the plugins are
// asked again.
func (a *Answers) save() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.path == "" || !a.changed {
		return
	}
	a.changed = false
	raw, err := json.Marshal(slices.DeleteFunc(slices.Clone(a.kept), func(k answer) bool { return !isSettled(k.Binary, a.now()) }))
	if err == nil && len(raw) <= maxAnswersFile && os.MkdirAll(filepath.Dir(a.path), 0o700) == nil {
		_ = atomicfile.WriteBytes(a.path, 0o600, raw)
	}
}

// line is the connection to a plugin. Until there is one, it gives answers that were given
// before, and everything else waits.
type line struct {
	answers *Answers // nil if nothing is recalled
	binary  binaryIdentity

	mu sync.Mutex
	// recalled are answers that the plugin has not confirmed.
	recalled []recalledAnswer
	conn     grpc.ClientConnInterface // nil until it is open
	// opened is closed once it is open, or never will be.
	opened chan struct{}
}

// recalledAnswer is an answer given in a plugin's place, and the call that confirms it.
type recalledAnswer struct {
	args, reply proto.Message
	answer      answer
	opts        []grpc.CallOption
}

func newLine(config Config) *line {
	l := &line{opened: make(chan struct{})}
	// What a lock file names is hashed before anything of it counts.
	if binary, known := identify(config.Candidate.Path); known && config.Answers != nil && config.Candidate.Lock == nil {
		l.answers, l.binary = config.Answers, binary
	}
	return l
}

// errNoAnswer means that an answer is not on record, or that there never was a connection.
var errNoAnswer = errors.New("the plugin has not answered")

// Invoke implements [grpc.ClientConnInterface].
func (l *line) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	asked, question := l.ask(method, args)
	if asked && l.recall(recalledAnswer{args.(proto.Message), reply.(proto.Message), question, opts}) {
		return nil
	}
	conn, err := l.await(ctx)
	if err != nil {
		return err
	}
	if err := conn.Invoke(ctx, method, args, reply, opts...); err != nil {
		return err
	}
	if asked {
		if question.Reply, err = marshal(reply.(proto.Message)); err == nil {
			l.answers.keep(question)
		}
	}
	return nil
}

// NewStream implements [grpc.ClientConnInterface].
func (l *line) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	conn, err := l.await(ctx)
	if err != nil {
		return nil, err
	}
	return conn.NewStream(ctx, desc, method, opts...)
}

// await waits for the connection.
func (l *line) await(ctx context.Context) (grpc.ClientConnInterface, error) {
	select {
	case <-l.opened:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.conn == nil {
		return nil, errNoAnswer
	}
	return l.conn, nil
}

// ask returns a question if its answer can be kept: who the plugin is, whether there is a
// project, and which commands run its tests.
func (l *line) ask(method string, args any) (asked bool, question answer) {
	message, ok := args.(proto.Message)
	if l.answers == nil || !ok {
		return false, answer{}
	}
	switch method {
	case pb.DetectorService_Describe_FullMethodName, pb.DetectorService_Detect_FullMethodName,
		pb.DetectorService_TestCmd_FullMethodName, pb.DetectorService_RerunCmd_FullMethodName:
	default:
		return false, answer{}
	}
	raw, err := marshal(message)
	sum := sha256.Sum256(raw)
	return err == nil, answer{Binary: l.binary, Call: method, Question: hex.EncodeToString(sum[:])}
}

// recall gives an answer in the plugin's place, unless the plugin can be asked.
func (l *line) recall(r recalledAnswer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.opened:
		return false
	default:
	}
	reply, ok := l.answers.find(r.answer)
	if !ok || proto.Unmarshal(reply, r.reply) != nil {
		return false
	}
	r.answer.Reply = reply
	r.args = proto.Clone(r.args)
	l.recalled = append(l.recalled, r)
	return true
}

// open opens the line to a plugin that has given every recalled answer itself.
func (l *line) open(ctx context.Context, conn grpc.ClientConnInterface) error {
	for {
		l.mu.Lock()
		if len(l.recalled) == 0 {
			l.conn = conn
			close(l.opened)
			l.mu.Unlock()
			return nil
		}
		r := l.recalled[0]
		l.recalled = l.recalled[1:]
		l.mu.Unlock()
		reply := r.reply.ProtoReflect().New().Interface()
		if err := conn.Invoke(ctx, r.answer.Call, r.args, reply, r.opts...); err != nil {
			return err
		}
		if raw, err := marshal(reply); err != nil || !bytes.Equal(raw, r.answer.Reply) {
			return errors.Join(errOtherAnswer, err)
		}
	}
}

// errOtherAnswer means that a plugin does not answer as before.
var errOtherAnswer = errors.New("it answers differently than before")

// isOpen reports whether the plugin has given every recalled answer itself.
func (l *line) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn != nil
}

// distrust forgets what the binary answered before.
func (l *line) distrust() {
	l.mu.Lock()
	l.recalled = nil
	l.mu.Unlock()
	if l.answers != nil {
		l.answers.forget(l.binary)
	}
}

// fail gives up a line that is not open: nobody must wait for it.
func (l *line) fail() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		close(l.opened)
	}
}

// marshal encodes equal messages equally.
func marshal(m proto.Message) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}
