package record

// ContextSchema is the value of [Context.Schema].
const ContextSchema = "proctor.context/v1"

// MaxSpots bounds the lists of a Context object; the totals are exact.
const MaxSpots = 100

// Context is what a reader should know at the start of a session.
type Context struct {
	Schema string `json:"schema"`
	// Recurring are the files that were left unresolved in three or more sessions
	// and have not recovered since, the worst first.
	Recurring      []Spot `json:"recurring"`
	RecurringTotal int    `json:"recurring_total"`
	// Regressions are the files that were passing and fail now.
	Regressions      []Spot `json:"regressions"`
	RegressionsTotal int    `json:"regressions_total"`
	// Outstanding counts the tests that are outstanding from earlier sessions.
	Outstanding int `json:"outstanding"`
	// Text is the note; empty where there is nothing to say.
	Text string `json:"text"`
}

// Spot is a file that has given trouble.
type Spot struct {
	File           string         `json:"file"`
	Classification Classification `json:"classification,omitempty"`
	// Resolution is how it stood at the end of the session that ran it last.
	Resolution EntryStatus `json:"resolution,omitempty"`
	// FailedSessions and Recurring are as in [Standing].
	FailedSessions int  `json:"failed_sessions"`
	Recurring      bool `json:"recurring,omitempty"`
	// Tests are those in it that fail, at most some.
	Tests []Test `json:"tests,omitempty"`
}
