package fingerprint_test

import (
	"fmt"
	"os"
	"reflect"
	"time"
)

// inode returns a file's inode, if the system has them.
func inode(st os.FileInfo) string {
	sys := reflect.Indirect(reflect.ValueOf(st.Sys()))
	if field := sys.FieldByName("Ino"); field.IsValid() {
		return fmt.Sprint(field.Uint())
	}
	return ""
}

func nanoseconds(n int64) time.Time { return time.Unix(0, n) }
