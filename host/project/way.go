package project

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// WayOf is in which way the commands of a plan run tests. Where the plugin does not
// tell, all runner arguments and deciding variables decide; where it does, it knows of
// the variables that it sees.
func (p Project) WayOf(plan sdk.Plan, args []string) *outstanding.Way {
	var decides, narrows []string
	deciding := p.deciding()
	if plan.Way != nil {
		decides, narrows = slices.Clone(plan.Way.Decides), plan.Way.Narrows
	} else {
		for i, arg := range args {
			decides = append(decides, fmt.Sprintf("%04d %s", i, arg)) // their order may matter
		}
	}
	for _, name := range slices.Sorted(maps.Keys(deciding)) {
		if plan.Way == nil || !slices.Contains(p.ID.Env, name) {
			decides = append(decides, name+"="+deciding[name])
		}
	}
	return outstanding.WayOf(decides, narrows)
}

// Under is the project in the environment in which some outstanding tests were red, as
// far as deciding variables make it. changed are the settings that are otherwise now.
func Under(ctx context.Context, h *Host, p Project, e outstanding.Entry) (in Project, changed []string) {
	_, env, marked := strings.Cut(e.Args, outstanding.EnvMark)
	if e.Way == nil || !marked {
		return p, nil
	}
	then := map[string]string{}
	for _, setting := range Words(strings.TrimPrefix(env, "\x00")) {
		if name, value, ok := strings.Cut(setting, "="); ok {
			then[name] = value
		}
	}
	now := p.deciding()
	if maps.Equal(then, now) {
		return p, nil
	}
	p.Environ, p.changed = workspace.Unsetenv(p.Environ, slices.Sorted(maps.Keys(now))), true
	for _, name := range KeysOfBoth(now, then) {
		value, set := then[name]
		if set {
			p.Environ = workspace.Setenv(p.Environ, name, value)
		}
		if value != now[name] {
			changed = append(changed, name+"="+value)
		}
	}
	p.Ws.Env = workspace.Pick(p.Environ, p.ID.Env)
	return h.Probed(ctx, p), changed
}

// Words are what a key of [outstanding.Scope] has of arguments or variables.
func Words(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(key, "\x00")
}
