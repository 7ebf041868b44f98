package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "dist:", err)
		}
		stop()
		os.Exit(1)
	}
}

// run makes the release that the arguments request.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("dist", flag.ContinueOnError)
	dir := flags.String("o", "dist", "the `DIR` of the release, which is made or emptied")
	chosen := flags.String("platforms", "all", "the `PLATFORMS` as OS/ARCH, separated by commas; or all, or host")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("it takes no arguments, but got %q", flags.Arg(0))
	}
	platforms, err := parsePlatforms(*chosen)
	if err != nil {
		return err
	}
	source, err := checkOut(ctx, ".")
	if err != nil {
		return err
	}
	defer source.remove()
	if source.uncommitted {
		fmt.Fprintln(out, "There are uncommitted changes: they are not in the release, which is that of", source.commit)
	}
	return makeRelease(ctx, source, platforms, *dir, out)
}

// platform is what a program is built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// suffix returns the suffix of the names of programs.
func (p platform) suffix() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// supported returns the platforms of a release.
func supported() []platform {
	return []platform{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}
}

func parsePlatforms(list string) ([]platform, error) {
	if list == "all" {
		return supported(), nil
	}
	if list == "host" {
		list = platform{runtime.GOOS, runtime.GOARCH}.String()
	}
	byName, names := map[string]platform{}, []string(nil)
	for _, p := range supported() {
		byName[p.String()] = p
		names = append(names, p.String())
	}
	var found []platform
	for name := range strings.SplitSeq(list, ",") {
		p, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("there is no release for %q; the platforms are %s", name, strings.Join(names, ", "))
		}
		delete(byName, name)
		found = append(found, p)
	}
	return found, nil
}
