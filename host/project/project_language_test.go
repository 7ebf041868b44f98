package project

import (
	"errors"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

func TestTwoPluginsOfOneLanguageAreNotBothRun(t *testing.T) {
	t.Parallel()
	of := func(name, language string) Project {
		return Project{ID: client.Identity{Description: sdk.Description{Name: name, Language: language}}}
	}
	if err := checkOnePerLanguage([]Project{of("go", "go"), of("forge", "solidity")}); err != nil {
		t.Error(err)
	}
	var usage *api.UsageError
	err := checkOnePerLanguage([]Project{of("go", "go"), of("forge", "solidity"), of("zgo", "go")})
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "plugins go and zgo are both for go") {
		t.Errorf("got %v", err)
	}
}
