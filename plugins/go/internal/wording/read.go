package wording

import "github.com/proctorhq/proctor/sdk"

// Read parses a message without a place.
func Read(text []string) (message string, diff sdk.Diff) {
	switch {
	case isSections(text):
		return readSections(text)
	case IsMock(text):
		return ReadMock(text)
	case isShould(text):
		return readShould(text)
	}
	if at := gomegaStart(text); at >= 0 {
		return readGomega(text, at)
	}
	return readMessage(text)
}
