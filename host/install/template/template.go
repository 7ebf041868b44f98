package template

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/proctorhq/proctor/sdk/detectorpb"
)

//go:embed all:files
var files embed.FS

// suffix ends the names of templates, so that no tool takes them for what they become:
// a go.mod would make their directory another module.
const suffix = ".tmpl"

// LicensePlaceholder begins the LICENSE of a new plugin, until its author chooses one.
const LicensePlaceholder = "Put the text of your license here."

// Config describes a new plugin.
type Config struct {
	// Name is the plugin's name, checked by the caller.
	Name     string
	Language Language
	// Version is the version of proctor whose sdk a Go plugin uses. It does not matter
	// if SDK is set.
	Version string
	// SDK is the absolute path of a proctor checkout to use instead of a published
	// version; empty means none.
	SDK string
}

// unpublished stands for the version of a checkout, which go.mod replaces.
const unpublished = "v0.0.0"

// file is one file of a new plugin.
type file struct {
	// path is relative and slash-separated.
	path    string
	content []byte
	mode    fs.FileMode
}

// Write creates the repository of a new plugin in a directory that does not exist or is
// empty, completely or not at all. It returns the paths of its files, sorted.
func Write(ctx context.Context, dir string, cfg Config) ([]string, error) {
	all, err := render(cfg)
	if err != nil {
		return nil, err
	}
	if err := place(ctx, dir, all); err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range all {
		paths = append(paths, f.path)
	}
	return paths, nil
}

// render composes the files of a language, and the common ones.
func render(cfg Config) ([]file, error) {
	replacement, version := "", cfg.Version
	if cfg.SDK != "" {
		replacement, version = "\nreplace github.com/proctorhq/proctor => "+goPath(cfg.SDK), unpublished
	}
	words := strings.NewReplacer("@NAME@", cfg.Name, "@VERSION@", version, "@REPLACE@\n", replacement+"\n", "@TLS@", cfg.Language.tls())
	all, err := cfg.Language.protocol()
	if err != nil {
		return nil, err
	}
	for _, part := range cfg.Language.parts() {
		root := path.Join("files", part)
		err := fs.WalkDir(files, root, func(p string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			raw, err := files.ReadFile(p)
			if err != nil {
				return err
			}
			name := strings.TrimSuffix(strings.TrimPrefix(p, root+"/"), suffix)
			all = append(all, file{path: words.Replace(name), content: []byte(words.Replace(string(raw))), mode: 0o644})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading the template: %w", err)
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// goPath formats a path for go.mod.
func goPath(dir string) string {
	if strings.ContainsAny(dir, " \t\"'`,()") || strings.Contains(dir, "//") {
		return fmt.Sprintf("%q", dir)
	}
	return dir
}

// protocol returns the protocol in the forms that a plugin in the language needs. The sdk
// has it for Go.
func (l Language) protocol() ([]file, error) {
	if l == Go {
		return nil, nil
	}
	files := []file{{path: "detector.proto", content: detectorpb.Source(), mode: 0o644}}
	if l == Python {
		set, err := descriptorSet()
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: "src/plugin/detector.binpb", content: set, mode: 0o644})
	}
	return files, nil
}

// descriptorSet returns the output of protoc --descriptor_set_out for the protocol, so that
// nobody needs protoc to build a plugin in Python.
func descriptorSet() ([]byte, error) {
	schema := protodesc.ToFileDescriptorProto(detectorpb.File_proctor_detector_v1_detector_proto)
	set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{schema}}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		return nil, fmt.Errorf("describing the protocol: %w", err)
	}
	return raw, nil
}
