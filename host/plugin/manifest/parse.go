package manifest

import (
	"errors"
	"slices"

	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// MaxSize is the longest manifest accepted, in bytes: a hundred platforms take a tenth
// of it.
const MaxSize = 64 << 10

// Parse reads a manifest and checks everything that does not require the files it
// mentions. It ignores unknown fields, since an author may use a newer format with the
// same schema. The error is an [*Error], or a [*SchemaError].
func Parse(data []byte) (Manifest, error) {
	var m Manifest
	err := ReadDocument(data, MaxSize, File, Schema, &m.Schema, func(r *document.Reader) error { return read(r, &m) })
	if fault, ok := errors.AsType[*document.Error](err); ok {
		return Manifest{}, &Error{Field: fault.Field, Reason: fault.Reason}
	}
	if err == nil {
		err = m.Check()
	}
	if err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// Encode formats a manifest: indented, with sorted keys and a final newline, so that
// equal manifests are equal files.
func (m Manifest) Encode() []byte { return document.Write(m) }

// Compatible returns nil if a host with these protocols can use the plugin, else a
// [*ProtocolError].
func (m Manifest) Compatible(host []int) error {
	if slices.ContainsFunc(m.Protocols, func(p int) bool { return slices.Contains(host, p) }) {
		return nil
	}
	return &ProtocolError{Plugin: m.Name, Version: m.Version, Speaks: m.Protocols, Host: host}
}

func read(r *document.Reader, m *Manifest) error {
	return r.Object(document.Fields{
		"schema":    func() error { return r.Number(&m.Schema) },
		"name":      func() error { return r.Text(&m.Name) },
		"version":   func() error { return r.Text(&m.Version) },
		"protocols": func() error { return ReadProtocols(r, &m.Protocols) },
		"source":    func() error { return r.Text(&m.Source) },
		"summary":   func() error { return r.Text(&m.Summary) },
		"tls":       func() error { return r.Text(&m.TLS) },
		"detect": func() error {
			return r.Object(document.Fields{"any_file": func() error { return readNames(r, &m.Detect.AnyFile) }})
		},
		"platforms": func() error {
			m.Platforms = map[Platform]Binary{}
			return r.Map(func(key string) error {
				var b Binary
				err := r.Object(document.Fields{
					"bin":    func() error { return r.Text(&b.Bin) },
					"sha256": func() error { return r.Text(&b.SHA256) },
				})
				m.Platforms[Platform(key)] = b
				return err
			})
		},
	})
}

func readNames(r *document.Reader, into *[]string) error {
	return r.List(func() error {
		var name string
		err := r.Text(&name)
		*into = append(*into, name)
		return err
	})
}

// ReadProtocols reads a document's list of protocols.
func ReadProtocols(r *document.Reader, into *[]int) error {
	return r.List(func() error {
		var protocol int
		err := r.Number(&protocol)
		*into = append(*into, protocol)
		return err
	})
}
