//go:build unix

package project

import (
	"fmt"
	"os"
	"testing"

	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

func TestAProbeAnswersWhollyOrNotAtAll(t *testing.T) {
	probe := func(name, script string) sdk.Probe {
		return sdk.Probe{Name: name, Argv: []string{"sh", "-c", script}}
	}
	p := Project{Root: workspace.Root{Path: t.TempDir()}, ID: client.Identity{Description: sdk.Description{Probes: []sdk.Probe{
		probe("most", fmt.Sprintf("head -c %d /dev/zero", sdk.MaxProbe)),
		probe("more", fmt.Sprintf("head -c %d /dev/zero; echo too much >&2", sdk.MaxProbe+1)),
		probe("failed", "echo half; echo why >&2; exit 3"),
		{Name: "absent", Argv: []string{"proctor-no-such-program"}},
	}}}}
	got := New(Config{Env: os.Environ()}).RunProbes(t.Context(), p).Ws.Probes
	if most := got["most"]; len(most.Stdout) != sdk.MaxProbe || most.ExitCode != 0 {
		t.Errorf("of what is just allowed %d bytes, exit code %d", len(most.Stdout), most.ExitCode)
	}
	if more := got["more"]; len(more.Stdout) != 0 || more.ExitCode != -1 || more.Stderr != "too much" {
		t.Errorf("of too much %d bytes, exit code %d, %q", len(more.Stdout), more.ExitCode, more.Stderr)
	}
	if failed := got["failed"]; string(failed.Stdout) != "half\n" || failed.ExitCode != 3 || failed.Stderr != "why" {
		t.Errorf("of one that failed %+v", failed)
	}
	if absent, ok := got["absent"]; ok {
		t.Errorf("of one that cannot be started %+v", absent)
	}
}
