package shard

import (
	"github.com/proctorhq/proctor/host/api"
)

// NotesBeside returns the notes of the shards besides some that the reader sees anyway. What
// several shards say is said once.
func (m Merge) NotesBeside(own []api.Note) []api.Note {
	type saying struct {
		code api.NoteCode
		text string
	}
	said := map[saying][]Report{}
	for _, n := range own {
		said[saying{n.Code, n.Text}] = nil
	}
	var notes []api.Note
	for _, r := range m.Last {
		for _, n := range r.Warnings {
			key := saying{n.Code, n.Text}
			before, known := said[key]
			if known && before == nil {
				continue
			}
			if said[key] = append(before, r); !known {
				notes = append(notes, n)
			}
		}
	}
	for i, n := range notes {
		who := said[saying{n.Code, n.Text}]
		notes[i].Text = api.Plural(len(who), "shard") + ": " + n.Text
		if len(who) == 1 {
			notes[i].Text = "shard " + who[0].Shard.String() + ": " + n.Text
		}
	}
	return notes
}
