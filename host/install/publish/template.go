package publish

import (
	"encoding/json"
	"errors"

	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/plugin/manifest/document"
)

// ParseTemplate parses what an author writes: a manifest without platforms, which
// packing adds. The error names the field.
func ParseTemplate(data []byte) (manifest.Manifest, error) {
	var m manifest.Manifest
	if err := checkStrict(data); err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, &manifest.Error{Reason: err.Error()}
	}
	if len(m.Platforms) > 0 {
		return m, &manifest.Error{Field: "platforms", Reason: "they are added by packing: leave them out"}
	}
	// Everything but platforms is checked as in any other manifest.
	whole := m
	whole.Platforms = map[manifest.Platform]manifest.Binary{probe: {Bin: manifest.BinaryName(m.Name, probe), SHA256: probeHash}}
	return m, whole.Check()
}

// checkStrict refuses what readers of a published manifest would refuse or read differently:
// duplicate keys, keys in the wrong case, and anything after the end. A misspelled
// field would be missing from what is published.
func checkStrict(data []byte) error {
	err := document.Read(data, manifest.MaxSize, func(r *document.Reader) error {
		r.Strict()
		return r.Object(document.Fields{
			"schema": r.Skip, "name": r.Skip, "version": r.Skip, "protocols": r.Skip, "source": r.Skip, "summary": r.Skip, "tls": r.Skip, "platforms": r.Skip,
			"detect": func() error { return r.Object(document.Fields{"any_file": r.Skip}) },
		})
	})
	if fault, ok := errors.AsType[*document.Error](err); ok {
		return &manifest.Error{Field: fault.Field, Reason: fault.Reason}
	}
	return err
}

// probe and probeHash stand in for what a template lacks.
const (
	probe     = manifest.Platform("linux_amd64")
	probeHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)
