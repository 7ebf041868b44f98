package fleetcall

import (
	"strings"
	"testing"
)

func TestFleetAcceptsAnyWordForTrue(t *testing.T) {
	for line, want := range map[string]bool{
		"run --fleet": true, "-C dir run --fleet ./...": true, "run --fleet=true": true, "run --fleet=1": true, "run --fleet=T": true,
		"run": false, "run --fleet=false": false, "run --fleet=0": false, "run --fleet=x": false, "run -- --fleet": false, "failures --fleet": false,
	} {
		if got := isAsked(strings.Fields(line)); got != want {
			t.Errorf("proctor %s: %v", line, got)
		}
	}
}
