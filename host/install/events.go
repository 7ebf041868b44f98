package install

// Events report what an Installer does. Each may be nil.
type Events struct {
	// Resolved is called with the version to be installed.
	Resolved func(name, version, source string)
	// Waiting is called while another proctor works on the same plugin.
	Waiting func(name, version string)
	// Fetching is called when a download begins.
	Fetching func(name, version, address string)
	// Pinned is called when the key of an index is pinned.
	Pinned func(index, key string)
	// Unsigned is called if an index has no signature, and no key was ever pinned for
	// it.
	Unsigned func(index string)
	// Unchecked is called if an index is signed but the right key is unknown. Only what
	// is locked was compared.
	Unchecked func(index string)
	// Unvouched is called if a Go module is not compared with the checksum database.
	Unvouched func(source string)
	// Installed is called once a plugin is in the store; already reports whether it was
	// there before.
	Installed func(name, version, path string, already bool)
	// Replacing is called when a changed installation is replaced by what was fetched
	// anew.
	Replacing func(name, version, path string)
	// Rebuilt is called when a Go module builds to a different binary, which replaces
	// the installed one.
	Rebuilt func(name, version, path string)
}

func (e Events) resolved(name, version, source string) {
	if e.Resolved != nil {
		e.Resolved(name, version, source)
	}
}

func (e Events) waiting(name, version string) {
	if e.Waiting != nil {
		e.Waiting(name, version)
	}
}

func (e Events) fetching(name, version, address string) {
	if e.Fetching != nil {
		e.Fetching(name, version, address)
	}
}

func (e Events) pinned(index, key string) {
	if e.Pinned != nil {
		e.Pinned(index, key)
	}
}

func (e Events) unsigned(index string) {
	if e.Unsigned != nil {
		e.Unsigned(index)
	}
}

func (e Events) unchecked(index string) {
	if e.Unchecked != nil {
		e.Unchecked(index)
	}
}

func (e Events) unvouched(source string) {
	if e.Unvouched != nil {
		e.Unvouched(source)
	}
}

func (e Events) installed(name, version, path string, already bool) {
	if e.Installed != nil {
		e.Installed(name, version, path, already)
	}
}

func (e Events) replacing(name, version, path string) {
	if e.Replacing != nil {
		e.Replacing(name, version, path)
	}
}

func (e Events) rebuilt(name, version, path string) {
	if e.Rebuilt != nil {
		e.Rebuilt(name, version, path)
	}
}
