package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/install/index"
	"github.com/proctorhq/proctor/host/install/publish"
	"github.com/proctorhq/proctor/host/install/template"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk/client"
	pluginprocess "github.com/proctorhq/proctor/sdk/plugintest/process"
)

// packing has the flags of plugin pack.
type packing struct {
	binaries                       []string
	out, manifest, license, source string
}

func newPluginPackCommand(a *app) *cobra.Command {
	var p packing
	cmd := &cobra.Command{
		Use:   "pack --bin PLATFORM=PATH... --out DIR",
		Short: "Build what a plugin's author publishes",
		Long: `Build an archive for each platform, a manifest with their hashes, and an index that names
them. Copy the tree to a web server or a directory, and "proctor plugin install" takes it
from there.

The manifest is the author's, with name, version, protocols and detect; platforms and
hashes are filled in. A program for this platform is started to check that it agrees. What
was published never changes: a version in the index may get more platforms, anything else
is rejected. Repeating the call changes nothing.

A script is one program for several platforms: --bin unix=PATH stands for linux_amd64,
linux_arm64, darwin_amd64 and darwin_arm64. Windows cannot start a script.`,
		Example: `  proctor plugin pack --bin linux_amd64=build/linux/proctor-plugin-tap --bin darwin_arm64=build/mac/proctor-plugin-tap --out dist
  proctor plugin pack --bin unix=./proctor-plugin-tap --out dist`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			if err := a.checkIdentity(cmd.Context(), cfg); err != nil {
				return err
			}
			result, err := publish.Pack(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			a.printPacked(cfg, result)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&p.binaries, "bin", nil, "the program for a platform, such as linux_amd64, or a script for unix (`PLATFORM=PATH`, repeatable)")
	flags.StringVar(&p.out, "out", "", "the `DIR` of the published tree; it need not exist")
	flags.StringVar(&p.manifest, "manifest", manifest.File, "the `FILE` with the author's manifest")
	flags.StringVar(&p.license, "license", "", "the license `FILE` (default: LICENSE beside the manifest, if there is one)")
	flags.StringVar(&p.source, "source", "", "the `URL` where the index will be published")
	return cmd
}

// config reads what the flags name.
func (p packing) config() (publish.Config, error) {
	cfg := publish.Config{Out: p.out, Binaries: map[manifest.Platform]string{}}
	if p.out == "" || len(p.binaries) == 0 {
		return cfg, &flags.Error{Err: errors.New("name the programs and the directory of the tree: --bin linux_amd64=PATH --out DIR")}
	}
	for _, pair := range p.binaries {
		platforms, path, err := binaryFlag(pair)
		if err != nil {
			return cfg, &flags.Error{Err: err}
		}
		for _, platform := range platforms {
			if _, twice := cfg.Binaries[platform]; twice {
				return cfg, &flags.Error{Err: fmt.Errorf("--bin: there are two programs for %s", platform)}
			}
			cfg.Binaries[platform] = path
		}
	}
	raw, err := os.ReadFile(p.manifest)
	if err != nil {
		return cfg, fmt.Errorf("the author's manifest cannot be read (name it with --manifest): %w", err)
	}
	if cfg.Manifest, err = publish.ParseTemplate(raw); err != nil {
		return cfg, err
	}
	if p.source != "" {
		cfg.Manifest.Source = p.source
	}
	cfg.License, err = p.readLicense()
	return cfg, err
}

// readLicense reads the license; nil if there is none.
func (p packing) readLicense() ([]byte, error) {
	if p.license != "" {
		return os.ReadFile(p.license)
	}
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(p.manifest), "LICENSE"))
	if errors.Is(err, fs.ErrNotExist) || strings.HasPrefix(string(raw), template.LicensePlaceholder) {
		return nil, nil // a placeholder must not be published
	}
	return raw, err
}

// printPacked says what was written and what comes next.
func (a *app) printPacked(cfg publish.Config, result publish.Result) {
	for _, name := range result.Written {
		fmt.Fprintln(a.env.Stdout, prose.Plain(filepath.Join(cfg.Out, filepath.FromSlash(name))))
	}
	next := a.env.Stderr
	if cfg.License == nil {
		fmt.Fprintln(next, "proctor: the archives have no license, and this version cannot get one once it is published: put it into LICENSE, or name it with --license")
	}
	if len(result.Written) == 0 {
		fmt.Fprintf(next, "proctor: %s %s is in %s already, nothing was changed\n", cfg.Manifest.Name, cfg.Manifest.Version, prose.Plain(result.Index))
		return
	}
	source := cfg.Manifest.Source
	if source == "" {
		source = "https://HOST/PATH/index.json"
	}
	if _, err := os.Lstat(result.Index + index.SignatureSuffix); err == nil {
		fmt.Fprintf(next, "proctor: %s%s belongs to the previous index: until you sign again, users are told that somebody changed the index\n",
			prose.Plain(result.Index), index.SignatureSuffix)
	}
	fmt.Fprintf(next, `proctor: next
  sign the index               minisign -Sm %s
  put your public key beside it, as minisign.pub
  upload the tree, the index last
  users install it with        proctor plugin install %s#%s
`, prose.Plain(result.Index), prose.Plain(source), cfg.Manifest.Name)
}

// scriptPlatform is the word of --bin for the platforms that can start a script.
const scriptPlatform = "unix"

// scriptPlatforms are the common ones among these. A manifest names each platform, so
// others must be given explicitly.
var scriptPlatforms = [...]manifest.Platform{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"}

// binaryFlag parses one --bin.
func binaryFlag(pair string) (platforms []manifest.Platform, path string, err error) {
	name, path, ok := strings.Cut(pair, "=")
	if ok && path != "" && name == scriptPlatform {
		if script, err := isScript(path); err == nil && !script {
			return nil, "", fmt.Errorf("--bin %s: %s is not a script, as it does not begin with #!; a compiled program is for one platform: name that, such as linux_amd64", pair, path)
		}
		return scriptPlatforms[:], path, nil
	}
	platform := manifest.Platform(name)
	if !ok || path == "" || !platform.Valid() {
		return nil, "", fmt.Errorf("--bin %q: give PLATFORM=PATH, with a platform such as linux_amd64, or %s for a script", pair, scriptPlatform)
	}
	return []manifest.Platform{platform}, path, nil
}

// scriptSign begins a file that the kernel starts with an interpreter.
const scriptSign = "#!"

// isScript reports whether a file begins with scriptSign. Unreadable files are left to
// packing.
func isScript(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() { // reading it could block
		return false, os.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	begin := make([]byte, len(scriptSign))
	_, err = io.ReadFull(f, begin)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return string(begin) == scriptSign, err
}

// describePatience bounds how long a plugin may take to describe itself: a tenth of a
// second is usual, but the machine may be busy.
const describePatience = 20 * time.Second

// checkIdentity asks the program for this platform, if there is one, whether its name and
// version are those of the manifest.
func (a *app) checkIdentity(ctx context.Context, cfg publish.Config) error {
	path, ok := cfg.Binaries[manifest.ThisPlatform()]
	if !ok {
		fmt.Fprintf(a.env.Stderr, "proctor: there is no program for %s, so none was compared with the manifest\n", manifest.ThisPlatform())
		return nil
	}
	id, err := describePlugin(ctx, path)
	if err != nil {
		return fmt.Errorf("%s does not describe itself (`proctor plugin check %s` shows what is wrong): %w", path, path, err)
	}
	other := func(field, own, wanted string) error {
		return fmt.Errorf("%s says that its %s is %q, but the manifest says %q; rebuild the program or correct %s", path, field, own, wanted, manifest.File)
	}
	if id.Name != cfg.Manifest.Name {
		return other("name", id.Name, cfg.Manifest.Name)
	}
	if id.Version != cfg.Manifest.Version {
		return other("version", id.Version, cfg.Manifest.Version)
	}
	return nil
}

// describePlugin starts a plugin and asks it for its identity.
func describePlugin(ctx context.Context, path string) (client.Identity, error) {
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
