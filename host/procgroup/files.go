package procgroup

import "os"

// openFiles returns the three standard files of cfg, and a function that closes those
// the caller did not supply.
func openFiles(cfg Config) ([]*os.File, func(), error) {
	files := []*os.File{cfg.Stdin, cfg.Stdout, cfg.Stderr}
	var opened []*os.File
	closeAll := func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}
	for i, f := range files {
		if f != nil {
			continue
		}
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		files[i], opened = null, append(opened, null)
	}
	return files, closeAll, nil
}
