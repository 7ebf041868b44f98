package artifacts

// noFollow has no counterpart here: links are only detected before opening.
const noFollow = 0

// removesOpenFiles says whether a process can remove a file that it has open.
const removesOpenFiles = false

// checkWritable never fails here: permissions show only when writing.
func checkWritable(string) error { return nil }
