package ballast

const (
	// size is one and a half times the heap at which the collector first runs. Parsing
	// produces much garbage and few live objects, so without ballast the collector took
	// a tenth of the time.
	size = 6 << 20
	// longStream is the number of messages after which ballast pays: allocating it
	// triggers the collector once.
	longStream = 64
)

// Ballast is memory that is allocated and never touched. It occupies no physical
// memory, but the collector counts it. The zero value is ready to use. It works only
// while it is reachable.
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
