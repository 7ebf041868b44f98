package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/install/template"
	"github.com/proctorhq/proctor/host/plugin/manifest"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/internal/lazyregexp"
)

func newPluginNewCommand(a *app) *cobra.Command {
	var language, dir, sdk string
	cmd := &cobra.Command{
		Use:   "new NAME [flags]",
		Short: "Create the repository of a new plugin",
		Long: `Create the repository of a new plugin: it builds, tests itself, and passes "proctor plugin
check". It runs programs that print TAP until you change it. See docs/writing-a-plugin.md.

A Go plugin uses the sdk of proctor's own version. For a proctor built from a checkout the
go command cannot fetch it: name the checkout with --sdk.`,
		Example: `  proctor plugin new lua
  proctor plugin new lua --lang python --dir plugins/lua`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := checkNewPlugin(args[0], language, sdk)
			if err != nil {
				return err
			}
			if dir == "" {
				dir = manifest.BinaryPrefix + cfg.Name
			}
			abs, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			files, err := template.Write(cmd.Context(), abs, cfg)
			if err != nil {
				return err
			}
			for _, f := range files {
				fmt.Fprintln(a.env.Stdout, prose.Plain(filepath.Join(dir, filepath.FromSlash(f))))
			}
			a.printNew(cfg, dir)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&language, "lang", string(template.Go), "the `LANGUAGE` to write it in: go, node or python")
	flags.StringVar(&dir, "dir", "", "the `DIR` to create, or an empty one (default: proctor-plugin-NAME)")
	flags.StringVar(&sdk, "sdk", "", "a checkout of proctor in `DIR` whose sdk a Go plugin uses")
	return cmd
}

// printNew says what to do next, and warns about what would surprise later.
func (a *app) printNew(cfg template.Config, dir string) {
	fmt.Fprintf(a.env.Stderr, "proctor: next: cd %s, read README.md, and run make test and make check\n", prose.Plain(dir))
	if cfg.SDK != "" {
		fmt.Fprintln(a.env.Stderr, "proctor: go.mod replaces proctor with your checkout: remove that line before others build the plugin or install it with go:")
	}
	if self, err := os.Executable(); err == nil {
		bundled := filepath.Join(filepath.Dir(self), manifest.BinaryName(cfg.Name, manifest.ThisPlatform()))
		if _, err := os.Stat(bundled); err == nil {
			fmt.Fprintf(a.env.Stderr, "proctor: proctor comes with a plugin %s, which this one replaces wherever it is installed: choose another name unless you want that\n", cfg.Name)
		}
	}
}

// checkNewPlugin validates the parameters of a new plugin.
func checkNewPlugin(name, language, sdk string) (template.Config, error) {
	cfg := template.Config{Name: name}
	if !manifest.ValidName(name) {
		return cfg, &flags.Error{Err: fmt.Errorf("%q cannot be the name of a plugin: lower-case letters, digits and dashes, a letter first, at most 32", name)}
	}
	var err error
	if cfg.Language, err = template.ParseLanguage(language); err != nil {
		return cfg, &flags.Error{Err: err}
	}
	if cfg.Language != template.Go {
		return cfg, nil
	}
	if sdk != "" {
		if cfg.SDK, err = findCheckout(sdk); err != nil {
			return cfg, &flags.Error{Err: err}
		}
		return cfg, nil
	}
	var ok bool
	if cfg.Version, ok = findPublished(); !ok {
		return cfg, &flags.Error{Err: fmt.Errorf("this proctor (%s) was built from a checkout, so the Go command cannot fetch its sdk: name the checkout with --sdk DIR, or use a released proctor", version())}
	}
	return cfg, nil
}

// findCheckout returns the absolute path of a directory with proctor's sources.
func findCheckout(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if !declaresModule(filepath.Join(abs, "go.mod"), modulePath) {
		return "", fmt.Errorf("--sdk %s: it has no go.mod of %s: name the root of a checkout of proctor", dir, modulePath)
	}
	return abs, nil
}

// releasePattern matches the version of a release, which unlike a pseudo-version does not
// match commitPattern, and unlike that of changed sources does not end in "+dirty".
var (
	releasePattern = lazyregexp.New(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)
	commitPattern  = lazyregexp.New(`[-.][0-9]{14}-[0-9a-f]{12}$`)
)

// findPublished returns proctor's own version if others can fetch it: that of a release, or
// any that was itself fetched, as its checksum shows.
func findPublished() (string, bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	v := info.Main.Version
	release := releasePattern.MatchString(v) && !commitPattern.MatchString(v)
	return v, info.Main.Path == modulePath && (info.Main.Sum != "" || release)
}

// modulePath is the module of proctor and its sdk.
const modulePath = "github.com/proctorhq/proctor"

// declaresModule reports whether a go.mod belongs to a module.
func declaresModule(file, module string) bool {
	raw, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(raw)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
			return fields[1] == module
		}
	}
	return false
}
