package artifacts

import "github.com/proctorhq/proctor/host/api"

// recent finds the last finished run of the session, or the one before it. Which one is
// the last its slot says, and not a clock, which may have been set back. Where the run
// of a slot is not on record, as on a full disk, an older one does not stand for it.
func (s *Store) recent(ref string) (id string, err error) {
	languages, err := s.Languages()
	if err != nil {
		return "", err
	}
	for _, language := range languages {
		slot, _, err := s.Slot(language)
		if err != nil {
			return "", err
		}
		if slot.RunID == "" {
			continue // none has finished
		}
		if _, err := s.load(slot.RunID); err != nil {
			return "", err
		}
		id = slot.RunID
	}
	if id == "" {
		return "", &api.UnknownRunError{Ref: ref} // the slots could not be written
	}
	runs := s.sessionRuns()
	if last, _, err := s.Slot(""); err == nil && last.RunID != "" {
		id = last.RunID
	} else if len(runs) > 0 {
		id = runs[0].RunID
	}
	if ref == "last" {
		return id, nil
	}
	for _, run := range runs {
		if run.RunID != id {
			return run.RunID, nil
		}
	}
	return "", &api.UnknownRunError{Ref: ref}
}
