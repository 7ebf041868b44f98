package store

import "testing"

func TestGetOfNothing(t *testing.T) {
	var s Store
	if got := s.Get("x"); got != "" {
		t.Errorf("Get = %q, want nothing", got)
	}
}

func TestPut(t *testing.T) {
	var s Store
	s.Put("x", "1")
	if got := s.Get("x"); got != "1" {
		t.Errorf("Get = %q, want 1", got)
	}
}

// TestPutTwice never starts: the panic of TestPut ends the process.
func TestPutTwice(t *testing.T) {
	s := Store{things: map[string]string{}}
	s.Put("x", "1")
	s.Put("x", "2")
	if got := s.Get("x"); got != "2" {
		t.Errorf("Get = %q, want 2", got)
	}
}
