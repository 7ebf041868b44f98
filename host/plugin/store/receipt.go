package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// ReceiptFile is the name of a receipt.
const ReceiptFile = "receipt.json"

// ReceiptSchema is the version of the format that this package reads and writes.
const ReceiptSchema = 1

// maxReceipt is the longest receipt accepted, in bytes: a dozen short texts.
const maxReceipt = 64 << 10

// Receipt says what was installed, from where, when and signed by whom.
type Receipt struct {
	Schema int `json:"schema"`
	// Source and Signer are as in a lock file.
	Source string `json:"source"`
	Signer string `json:"signer,omitempty"`
	// Archive and Bin are hashes as in a lock file. Archive is empty for a directory or
	// Go module.
	Archive string `json:"archive,omitempty"`
	Bin     string `json:"bin"`
	// ModuleSum and Toolchain are those of a Go module.
	ModuleSum   string    `json:"module_sum,omitempty"`
	Toolchain   string    `json:"toolchain,omitempty"`
	InstalledAt time.Time `json:"installed_at"`
	// InstalledBy is proctor's version.
	InstalledBy string `json:"installed_by"`
}

func (r Receipt) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(r)
	return b.Bytes(), err
}

// parseReceipt parses a receipt. Unknown fields belong to a newer proctor.
func parseReceipt(data []byte) (Receipt, error) {
	var r Receipt
	if err := json.Unmarshal(data, &r); err != nil {
		// The error could repeat the content at any length.
		return Receipt{}, errors.New("it is not a receipt that proctor has written")
	}
	if r.Schema != ReceiptSchema {
		return Receipt{}, &manifest.SchemaError{Document: ReceiptFile, Schema: r.Schema, Own: ReceiptSchema}
	}
	return r, nil
}
