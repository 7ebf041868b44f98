package manifest

import "github.com/proctorhq/proctor/host/plugin/manifest/document"

// ReadDocument reads a plugin document whose schema must be own, by calling read, which
// stores its schema in *schema. Another schema is reported before any other problem,
// since the rest of the document may then have any form. The error is a [*SchemaError],
// or a [*document.Error].
func ReadDocument(data []byte, max int, name string, own int, schema *int, read func(*document.Reader) error) error {
	err := document.Read(data, max, read)
	if err == nil && *schema == own {
		return nil
	}
	if wrong := checkSchema(data, max, name, own); wrong != nil {
		return wrong
	}
	return err
}

// checkSchema reads only the schema.
func checkSchema(data []byte, max int, name string, own int) error {
	schema, found := 0, false
	err := document.Read(data, max, func(r *document.Reader) error {
		return r.Object(document.Fields{"schema": func() error {
			found = true
			return r.Number(&schema)
		}})
	})
	switch {
	case err != nil:
		return err
	case !found:
		return &document.Error{Field: "schema", Line: 1, Reason: "is missing"}
	case schema < 1:
		return &document.Error{Field: "schema", Line: document.Line(data, "schema"), Reason: "must be 1 or more"}
	case schema != own:
		return &SchemaError{Document: name, Schema: schema, Own: own}
	}
	return nil
}
