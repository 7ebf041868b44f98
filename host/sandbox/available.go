package sandbox

// Program puts a command into a box. The zero Program does not.
type Program struct {
	bwrap   string
	options []string // that this version and this machine accept
}

// UnavailableError says why there is no sandbox, and how to get one.
type UnavailableError struct {
	Why, Fix string
}

func (e *UnavailableError) Error() string {
	return "there is no sandbox: " + e.Why + "; " + e.Fix
}
