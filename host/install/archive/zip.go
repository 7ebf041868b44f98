package archive

import (
	"archive/zip"
	"encoding/binary"
	"io"
	"io/fs"
)

const (
	// zipEndSize is the length of the record at the end of a zip archive.
	zipEndSize = 22
	zipEnd     = "PK\x05\x06"
	// maxZipList bounds the list of files, in bytes: 64 of them with the longest names
	// take a third of it. It is below the 65535 at which package zip would look for
	// another list.
	maxZipList = 32 << 10
	// encrypted is the flag of an entry that needs a password.
	encrypted = 0x1
)

func (x *extraction) unpackZip(f io.ReaderAt, size int64) error {
	if err := x.checkZipList(f, size); err != nil {
		return err
	}
	files, err := zip.NewReader(f, size)
	if err != nil {
		return x.explainReadError("", err)
	}
	for _, entry := range files.File {
		if err := x.unpackZipEntry(entry); err != nil {
			return err
		}
	}
	return nil
}

// checkZipList checks the end record before package zip reads the list of files that it
// points to, which might hold millions in memory. The list must directly precede it, so
// that what is read is what was checked.
func (x *extraction) checkZipList(f io.ReaderAt, size int64) error {
	var end [zipEndSize]byte
	if size < zipEndSize {
		return x.refuse("", "the archive is cut short")
	}
	if _, err := f.ReadAt(end[:], size-zipEndSize); err != nil {
		return x.explainReadError("", err)
	}
	if string(end[:len(zipEnd)]) != zipEnd || binary.LittleEndian.Uint16(end[20:]) != 0 {
		return x.refuse("", "the archive does not end like a zip archive: it is cut short, or there is data after its end")
	}
	count := int64(binary.LittleEndian.Uint16(end[10:]))
	length := int64(binary.LittleEndian.Uint32(end[12:]))
	offset := int64(binary.LittleEndian.Uint32(end[16:]))
	switch {
	case count > int64(x.limits.files):
		return x.refuse("", "it holds more than %d files", x.limits.files)
	case length > maxZipList:
		return x.refuse("", "its list of files has %d bytes; the limit is %d", length, maxZipList)
	case offset+length != size-zipEndSize:
		return x.refuse("", "its list of files is not where the archive says")
	}
	return nil
}

func (x *extraction) unpackZipEntry(entry *zip.File) error {
	if err := x.count(); err != nil {
		return err
	}
	mode := entry.Mode()
	switch {
	case mode.IsDir() && isSelf(entry.Name):
		return nil
	case mode.IsDir():
		return x.refuse(entry.Name, "it is a directory; a plugin has regular files side by side")
	case mode&fs.ModeSymlink != 0:
		return x.refuse(entry.Name, "it is a symbolic link; a plugin has regular files side by side")
	case !mode.IsRegular():
		return x.refuse(entry.Name, "it is a device; a plugin has regular files side by side")
	case entry.Flags&encrypted != 0:
		return x.refuse(entry.Name, "it is encrypted")
	case entry.Method != zip.Store && entry.Method != zip.Deflate:
		return x.refuse(entry.Name, "it is compressed by method %d; proctor knows deflate", entry.Method)
	case entry.UncompressedSize64 > uint64(x.limits.file):
		return x.refuse(entry.Name, "it has more than %d bytes", x.limits.file)
	}
	content, err := entry.Open()
	if err != nil {
		return x.explainReadError(entry.Name, err)
	}
	defer content.Close()
	return x.writeFile(entry.Name, int64(entry.UncompressedSize64), content)
}
