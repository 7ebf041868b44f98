package trace

import (
	"encoding/hex"
	"strings"
)

// cheatcodes is the address at which forge answers cheat codes.
const cheatcodes = "0x7109709ecfa91a80626ff3989d68f67f5b1dd12d"

// Parts of call data: a selector, and the length of each argument.
const (
	selectorLength = len("0x01234567")
	argumentLength = 64
)

// markData begins the call by which an assertion library marks the test as failed
// without ending it: store(cheatcodes, "failed", 1).
const markData = "0x70ca10bb" +
	"0000000000000000000000007109709ecfa91a80626ff3989d68f67f5b1dd12d" +
	"6661696c65640000000000000000000000000000000000000000000000000000"

// handleCheat handles a call of a cheat code, whose data begins with data, if it changes the
// code at an address or returns how much gas was used.
func (r *run) handleCheat(data string) {
	if len(data) < selectorLength {
		return
	}
	switch data[:selectorLength] {
	case "0xb4d6c782", // etch(address,bytes)
		"0xadf84d21": // mockFunction(address,address,bytes)
		r.forget(argumentAddress(data, 0))
	case "0x533d61c9": // cloneAccount(address,address)
		r.forget(argumentAddress(data, 1))
	case "0xb3a056d7": // loadAllocs(string)
		for known := range r.codes {
			r.forget(known)
		}
	case "0x2b589b28", // lastCallGas()
		"0x995d5b03", // lastFrameGas()
		"0xf6402eda", // stopSnapshotGas()
		"0x773b2805", // stopSnapshotGas(string)
		"0x0c9db707", // stopSnapshotGas(string,string)
		"0xdd9fca12", // snapshotGasLastCall(string)
		"0x200c6772": // snapshotGasLastCall(string,string)
		r.measured = true
	}
}

// argumentAddress returns the n-th argument of a call as an address, or "".
func argumentAddress(data string, n int) string {
	end := selectorLength + (n+1)*argumentLength
	if len(data) < end {
		return ""
	}
	return "0x" + data[end-40:end]
}

// maxFailed is how much of an output is needed to see its words, which follow their
// offset and length. A selector, as of Error(string), does not precede these.
const maxFailed = len("0x") + 2*argumentLength + 2*len(delegated)

// The words with which forge, when it traces, explains failures without data.
const (
	called    = "call to non-contract address"
	delegated = "delegatecall to non-contract address"
)

// reworded reports whether forge put the node's failure into words.
func (n *node) reworded() bool {
	const before = len("0x") + 2*argumentLength
	if len(n.failed) <= before {
		return false
	}
	words, err := hex.DecodeString(string(n.failed[before : len(n.failed)&^1]))
	return err == nil && (strings.HasPrefix(string(words), called) || strings.HasPrefix(string(words), delegated))
}
