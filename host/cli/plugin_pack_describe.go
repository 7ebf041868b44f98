package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/host/install/publish"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/sdk/client"
	pluginprocess "github.com/proctorhq/proctor/sdk/plugintest/process"
)

// describePatience is how long a plugin may take to say who it is. It takes a tenth
// of a second; a busy machine is no fault of it.
const describePatience = 20 * time.Second

// otherIdentityError: a program does not say of itself what its manifest says.
type otherIdentityError struct{ path, field, manifest, plugin string }

func (e *otherIdentityError) Error() string {
	return fmt.Sprintf("%s says that its %s is %q, and the manifest has %q: users would get what the manifest does not describe; rebuild the program or mend %s",
		e.path, e.field, e.plugin, e.manifest, manifest.File)
}

// agrees asks the program for this platform, if there is one, whether it is what the
// manifest says.
func (a *app) agrees(ctx context.Context, cfg publish.Config) error {
	path, ok := cfg.Binaries[manifest.ThisPlatform()]
	if !ok {
		fmt.Fprintf(a.env.Stderr, "proctor: there is no program for %s, so none was asked whether it is what the manifest says\n", manifest.ThisPlatform())
		return nil
	}
	id, err := describe(ctx, path)
	if err != nil {
		return fmt.Errorf("%s cannot be asked who it is, see what is wrong with `proctor plugin check %s`: %w", path, path, err)
	}
	if id.Name != cfg.Manifest.Name {
		return &otherIdentityError{path: path, field: "name", manifest: cfg.Manifest.Name, plugin: id.Name}
	}
	if id.Version != cfg.Manifest.Version {
		return &otherIdentityError{path: path, field: "version", manifest: cfg.Manifest.Version, plugin: id.Version}
	}
	return nil
}

// describe starts a plugin as a host does, and asks who it is.
func describe(ctx context.Context, path string) (client.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, describePatience)
	defer cancel()
	abs, err := filepath.Abs(path)
	if err != nil {
		return client.Identity{}, err
	}
	session, err := pluginprocess.Open(ctx, abs)
	if err != nil {
		return client.Identity{}, err
	}
	defer session.Close(ctx)
	return client.New(session.Conn).Describe(ctx, version())
}
