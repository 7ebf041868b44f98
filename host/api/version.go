package api

// VersionSchema is the schema of a [Version].
const VersionSchema = "proctor.version/v1"

// Version describes a build of proctor.
type Version struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	// Commit is empty if the build does not record it, such as one from the module proxy.
	Commit string `json:"commit,omitempty"`
	// CommittedAt is the time of the commit, in RFC 3339.
	CommittedAt string `json:"committed_at,omitempty"`
	// Modified reports whether the sources differed from the commit.
	Modified bool `json:"modified,omitempty"`
	// ModuleSum is the checksum of a module that the go command fetched.
	ModuleSum string `json:"module_sum,omitempty"`
	GoVersion string `json:"go_version"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	// Protocol is the version of the protocol spoken with plugins.
	Protocol int `json:"protocol"`
}
