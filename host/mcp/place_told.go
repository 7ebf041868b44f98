package mcp

import (
	"bytes"
	"context"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
)

// located says in both forms of an answer which workspace it is about, where that is
// not the server's own: nobody could see it otherwise.
func (c *call) located(ctx context.Context, where api.Where, a answer) (answer, error) {
	if dir := c.elsewhere(where.Dir); dir != "" {
		a.text = append(a.text, "this is "+otherPlace(dir))
		a.object = locatedObject{a.object, dir}
	}
	return a, ctx.Err()
}

// locatedObject is the object of an answer with the workspace behind it.
type locatedObject struct {
	object    any
	workspace string
}

// MarshalJSON implements [json.Marshaler].
func (l locatedObject) MarshalJSON() ([]byte, error) {
	raw, err := prose.JSON(l.object)
	if err != nil {
		return nil, err
	}
	name, err := prose.JSON(l.workspace)
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimSuffix(bytes.TrimSpace(raw), []byte("}"))
	if !bytes.HasSuffix(raw, []byte("{")) {
		raw = append(raw, ',')
	}
	raw = append(append(raw, `"workspace":`...), bytes.TrimSpace(name)...)
	return append(raw, '}'), nil
}
