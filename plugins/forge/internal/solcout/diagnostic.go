package solcout

// Severity is how bad a diagnostic is.
type Severity int

// The severities.
const (
	Error Severity = iota + 1
	Warning
	Info
)

// Place is a place in a source file as printed. Line and Column are 0 if only the file
// was printed.
type Place struct {
	File         string
	Line, Column int
}

// Diagnostic is one message of the compiler.
type Diagnostic struct {
	Severity Severity
	// Code is solc's number, or empty.
	Code string
	// Message may span several lines.
	Message string
	Place   Place
	// Notes are further places that belong to the message.
	Notes []Note
}

// Note is a secondary place of a diagnostic, with a text.
type Note struct {
	Message string
	Place   Place
}

// Report is the result of a [Scanner].
type Report struct {
	// Failed reports whether forge said that compilation failed.
	Failed bool
	// Diagnostics are the compiler's messages without duplicates.
	Diagnostics []Diagnostic
	// Omitted counts the diagnostics beyond the limit.
	Omitted int
	// Errors are forge's own errors, without the prefix "Error:".
	Errors []string
	// Warnings are forge's own warnings, without the prefix "Warning:".
	Warnings []string
}

// Blocking returns the diagnostics that made compilation fail: the errors, or the
// warnings if forge is configured to deny them.
func (r Report) Blocking() []Diagnostic {
	var errors, warnings []Diagnostic
	for _, d := range r.Diagnostics {
		switch d.Severity {
		case Error:
			errors = append(errors, d)
		case Warning:
			warnings = append(warnings, d)
		}
	}
	if len(errors) == 0 && r.Failed {
		return warnings
	}
	return errors
}
