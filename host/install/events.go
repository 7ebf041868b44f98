package install

// Events tell what an Installer does. Each may be nil.
type Events struct {
	// Resolved: this version is going to be installed.
	Resolved func(name, version, source string)
	// Waiting: another proctor is at work on the same plugin.
	Waiting func(name, version string)
	// Fetching begins a download.
	Fetching func(name, version, address string)
	// Pinned: the key of an index is known from now on.
	Pinned func(index, key string)
	// Unsigned: an index has no signature, and no key was ever pinned for it.
	Unsigned func(index string)
	// Unchecked: an index is signed, and by which key it must be is not known. Only
	// what is locked was compared.
	Unchecked func(index string)
	// Unvouched: a Go module is not compared with the checksum database.
	Unvouched func(source string)
	// Installed: it is in the store; already says that it was before.
	Installed func(name, version, path string, already bool)
	// Replacing: what is installed is no longer what was, and makes room for what was
	// fetched anew.
	Replacing func(name, version, path string)
	// Rebuilt: a Go module is built to another binary than is installed, and takes its
	// place.
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
