package project

import (
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

func TestALanguageHasSeveralNames(t *testing.T) {
	id := client.Identity{Description: sdk.Description{Name: "mill", Language: "grain", Aliases: []string{"flour"}}}
	for name, want := range map[string]bool{
		"grain": true, "Grain": true, "mill": true, "MILL": true, "flour": true, "Flour": true, "": false, "grai": false, "bread": false,
	} {
		if got := isCalled(id, name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
