package api

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/proctorhq/proctor/sdk"
)

// Failure is one thing that went wrong.
type Failure struct {
	// ID names the failure within its run.
	ID string `json:"id"`
	sdk.Failure
	// Repro is the plugin's command as a line for a shell.
	Repro string `json:"repro,omitempty"`
	// Signature identifies the cause. Failures have the same signature if they are of
	// the same kind, at the same place in the project, and with the same message apart
	// from what varies from run to run.
	Signature string `json:"signature,omitempty"`
	// Quarantine is the project's reason for not letting the failure decide the verdict;
	// empty if the failure counts.
	Quarantine string `json:"quarantine,omitempty"`
	// Standing is what the history says about the test; nil without a history.
	*Standing
}

// idLength is the number of hexadecimal digits in a failure's id, enough to be unique
// in a run of a million failures.
const idLength = 12

// FailureID derives the id of a failure, so that equal failures of two runs have equal
// ids. ordinal distinguishes failures of one test and kind.
func FailureID(suite, test, kind string, ordinal int) string {
	sum := sha256.Sum256([]byte(suite + "\x00" + test + "\x00" + kind + "\x00" + strconv.Itoa(ordinal)))
	return hex.EncodeToString(sum[:])[:idLength]
}
