package store

import (
	"encoding/binary"
	"errors"
	"math"
)

// errDamaged says that a file does not hold what it should.
var errDamaged = errors.New("it is damaged")

// reader reads what [writer] wrote. After an error, it returns only zero values. It
// never allocates much more than the size of the data: impossible lengths are errors.
type reader struct {
	data []byte
	err  error
	// known interns texts: paths recur in every suite.
	known map[string]string
}

func (r *reader) fail() { r.data, r.err = nil, errDamaged }

func (r *reader) number() int {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > math.MaxInt32 {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

// count reads the number of values that follow, each at least this many bytes long.
func (r *reader) count(each int) int {
	n := r.number()
	if n > len(r.data)/each {
		r.fail()
		return 0
	}
	return n
}

func (r *reader) slice() []byte {
	n := r.count(1)
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) text() string {
	b := r.slice()
	if s, ok := r.known[string(b)]; ok {
		return s
	}
	s := string(b)
	r.known[s] = s
	return s
}

func (r *reader) bytes() []byte {
	b := r.slice()
	if len(b) == 0 {
		return nil
	}
	return append([]byte(nil), b...)
}

func (r *reader) texts() []string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

func (r *reader) yes() bool {
	if len(r.data) == 0 || r.data[0] > 1 {
		r.fail()
		return false
	}
	is := r.data[0] == 1
	r.data = r.data[1:]
	return is
}

// length reads the length of a list whose elements are at least so many bytes long; ok
// is false for nil.
func (r *reader) length(each int) (n int, ok bool) {
	if n = r.number(); n == 0 {
		return 0, false
	}
	if n--; n > len(r.data)/each {
		r.fail()
		return 0, false
	}
	return n, true
}

// end returns an error if data remains.
func (r *reader) end() error {
	if r.err == nil && len(r.data) > 0 {
		r.fail()
	}
	return r.err
}
