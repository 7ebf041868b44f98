package ballast

const (
	// size is half as much again as the heap at which the collector first comes.
	// Parsing leaves much garbage and little that lives, so that without
	// ballast the collector took a tenth of the time.
	size = 6 << 20
	// longStream is the number of messages after which it pays: taking ballast
	// brings the collector once.
	longStream = 64
)

// Ballast is memory that is allocated and never touched, so that it takes no
// room; the collector counts it all the same. The zero value is ready. It has
// no effect unless it stands in something that is reachable.
type Ballast struct {
	messages int
	memory   []byte
}

// Message counts a message of the stream.
func (b *Ballast) Message() {
	b.messages++
	if b.messages == longStream {
		b.memory = make([]byte, size)
	}
}
