package solcout

// Severity is how bad a diagnostic is.
type Severity int

// The severities.
const (
	Error Severity = iota + 1
	Warning
	Info
)

// Place is a place in a source file as it was printed. Line and Column are 0
// where only the file was.
type Place struct {
	File         string
	Line, Column int
}

// Diagnostic is one message of the compiler.
type Diagnostic struct {
	Severity Severity
	// Code is solc's number; empty where it gave none.
	Code string
	// Message may have several lines.
	Message string
	Place   Place
	// Notes are further places that belong to the message.
	Notes []Note
}

// Note is a secondary place of a diagnostic.
type Note struct {
	Message string
	Place   Place
}

// Report is what was read.
type Report struct {
	// Failed reports whether forge said that the compiler failed.
	Failed bool
	// Diagnostics are the messages of the compiler, without repetitions.
	Diagnostics []Diagnostic
	// Omitted is how many diagnostics were left out for their number.
	Omitted int
	// Errors are forge's own errors, without the word "Error:".
	Errors []string
	// Warnings are forge's own warnings, without the word "Warning:".
	Warnings []string
}

// Blocking returns the diagnostics that kept the project from being compiled:
// the errors, or the warnings where forge was told to take them for errors.
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
