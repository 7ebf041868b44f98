package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The bill of materials is CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/), with the
// fields that the programs themselves provide: the go command records in each of them which
// modules it has linked.
type (
	bom struct {
		Schema       string          `json:"$schema"`
		Format       string          `json:"bomFormat"`
		SpecVersion  string          `json:"specVersion"`
		SerialNumber string          `json:"serialNumber"`
		Version      int             `json:"version"`
		Metadata     bomMetadata     `json:"metadata"`
		Components   []bomComponent  `json:"components"`
		Dependencies []bomDependency `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp string       `json:"timestamp"`
		Component bomComponent `json:"component"`
	}
	bomComponent struct {
		Ref        string        `json:"bom-ref"`
		Type       string        `json:"type"`
		Name       string        `json:"name"`
		Version    string        `json:"version"`
		Hashes     []bomHash     `json:"hashes,omitempty"`
		Licenses   []bomLicense  `json:"licenses,omitempty"`
		PURL       string        `json:"purl,omitempty"`
		Properties []bomProperty `json:"properties,omitempty"`
	}
	bomHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	bomLicense struct {
		Expression string `json:"expression"`
	}
	bomProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	bomDependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// ownLicense is proctor's own license.
const ownLicense = "Apache-2.0"

// bomOf returns the bill of materials of the programs of a platform.
func bomOf(programs []program, licenses []license, s stamp, p platform) ([]byte, error) {
	license := map[string][]bomLicense{}
	for _, l := range licenses {
		license[l.module] = []bomLicense{{l.expression}}
	}
	own := programs[0].info.Main.Path
	root := bomComponent{
		Ref: packageURL(own, s.version), Type: "application", Name: "proctor", Version: s.number(), PURL: packageURL(own, s.version),
		Licenses:   []bomLicense{{ownLicense}},
		Properties: []bomProperty{{"proctor:commit", s.commit}, {"proctor:platform", p.String()}, {"proctor:go", s.goVersion}},
	}
	b := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: bomMetadata{Timestamp: s.time.UTC().Format(time.RFC3339), Component: root},
	}
	library := packageURL(standardLibrary, strings.TrimPrefix(s.goVersion, "go"))
	all := bomDependency{Ref: root.Ref}
	identity := sha256.New()
	for _, built := range programs {
		sum := sha256.Sum256(built.data)
		identity.Write(sum[:])
		b.Components = append(b.Components, bomComponent{
			Ref: built.name, Type: "application", Name: built.name, Version: s.number(), Licenses: []bomLicense{{ownLicense}},
			Hashes: []bomHash{{"SHA-256", hex.EncodeToString(sum[:])}},
		})
		all.DependsOn = append(all.DependsOn, built.name)
		linked := bomDependency{Ref: built.name, DependsOn: []string{library}}
		for _, module := range linkedModules([]program{built}) {
			linked.DependsOn = append(linked.DependsOn, packageURL(module.Path, module.Version))
		}
		b.Dependencies = append(b.Dependencies, linked)
	}
	b.Dependencies = append([]bomDependency{all}, b.Dependencies...)
	b.Components = append(b.Components, bomComponent{
		Ref: library, Type: "library", Name: standardLibrary, Version: strings.TrimPrefix(s.goVersion, "go"), Licenses: license[standardLibrary], PURL: library,
	})
	for _, module := range linkedModules(programs) {
		ref := packageURL(module.Path, module.Version)
		b.Components = append(b.Components, bomComponent{
			Ref: ref, Type: "library", Name: module.Path, Version: module.Version, Licenses: license[module.Path], PURL: ref,
			Properties: []bomProperty{{"go:sum", module.Sum}},
		})
	}
	b.SerialNumber = serialNumber(identity.Sum(nil))
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// packageURL returns the package URL of a Go module (https://github.com/package-url/purl-spec),
// whose path is lower case there.
func packageURL(path, version string) string {
	elements := strings.Split(strings.ToLower(path), "/")
	for i, e := range elements {
		elements[i] = url.PathEscape(e)
	}
	return "pkg:golang/" + strings.Join(elements, "/") + "@" + url.QueryEscape(version)
}

// serialNumber makes a UUID, of version 8 of RFC 9562, of a hash: the same programs have
// the same bill of materials.
func serialNumber(hash []byte) string {
	u := append([]byte(nil), hash[:16]...)
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
