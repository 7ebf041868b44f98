package index

import (
	"errors"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// Parse parses an index. The error is an [*Error] or a [*manifest.SchemaError]. Invalid
// versions and names are errors: an index that is wrong in one place is not trusted
// elsewhere. Unknown fields are ignored.
func Parse(data []byte) (Index, error) { return parse(data, false) }

// ParseToWrite is [Parse] for callers that write the index again: unknown fields would
// be lost, and are errors.
func ParseToWrite(data []byte) (Index, error) { return parse(data, true) }

func parse(data []byte, strict bool) (Index, error) {
	var x Index
	err := manifest.ReadDocument(data, MaxSize, File, Schema, &x.Schema, func(r *document.Reader) error {
		if strict {
			r.Strict()
		}
		return x.read(r)
	})
	if fault, ok := errors.AsType[*document.Error](err); ok {
		return Index{}, &Error{Field: fault.Field, Reason: fault.Reason}
	}
	if err == nil {
		err = x.check()
	}
	if err != nil {
		return Index{}, err
	}
	if x.Plugins == nil {
		x.Plugins = map[string]Plugin{}
	}
	return x, nil
}

func (x *Index) read(r *document.Reader) error {
	return r.Object(document.Fields{
		"schema": func() error { return r.Number(&x.Schema) },
		"plugins": func() error {
			x.Plugins = map[string]Plugin{}
			return r.Map(func(name string) error {
				p := Plugin{Versions: map[string]Version{}}
				err := r.Object(document.Fields{"versions": func() error { return p.read(r) }})
				x.Plugins[name] = p
				return err
			})
		},
	})
}

func (p *Plugin) read(r *document.Reader) error {
	return r.Map(func(number string) error {
		var v Version
		err := r.Object(document.Fields{
			"protocols": func() error { return manifest.ReadProtocols(r, &v.Protocols) },
			"summary":   func() error { return r.Text(&v.Summary) },
			"files":     func() error { return v.readFiles(r) },
		})
		p.Versions[number] = v
		return err
	})
}

func (v *Version) readFiles(r *document.Reader) error {
	v.Files = map[manifest.Platform]Archive{}
	return r.Map(func(platform string) error {
		var a Archive
		err := r.Object(document.Fields{
			"url":        func() error { return r.Text(&a.URL) },
			"sha256":     func() error { return r.Text(&a.SHA256) },
			"bin_sha256": func() error { return r.Text(&a.BinSHA256) },
		})
		v.Files[manifest.Platform(platform)] = a
		return err
	})
}
