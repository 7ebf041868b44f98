package source

import "testing"

// The source shows whether a failure can keep later subtests from starting: it uses the
// result of Run, or asks for failures before the end.
func TestConductsReportWhoChecksItsSubtests(t *testing.T) {
	for body, want := range map[string]bool{
		`t.Run("a", f); t.Run("b", f)`:                                       false,
		`if !t.Run("a", f) { return }; t.Run("b", f)`:                        true,
		`ok := t.Run("a", f); if ok { t.Run("b", f) }`:                       true,
		`_ = t.Run("a", f)`:                                                  false,
		`_, ok := 1, t.Run("a", f); _ = ok`:                                  true,
		`require.True(t, t.Run("a", f))`:                                     true,
		`for _, x := range all { if t.Failed() { break }; t.Run(x, f) }`:     true,
		`t.Run("a", func(t *testing.T) { if !t.Run("x", f) { return } })`:    true,
		`defer func() { if t.Failed() { dump() } }(); t.Run("a", f)`:         false,
		`t.Cleanup(func() { if t.Failed() { dump() } }); t.Run("a", f)`:      false,
		`defer func() { if !t.Failed() { t.Run("z", f) } }()`:                true,
		`if err := exec.Command("ls").Run(); err != nil { t.Fatal(err) }`:    false,
		`if err := r.Run(ctx, file); err != nil { t.Fatal(err) }`:            false,
		`c, err := pg.Run(t.Context(), "pg:16"); _, _ = c, err`:              false,
		`err := r.Run(context.Background(), file); _ = err`:                  false,
		`if !t.Run(name(ctx), f) { return }`:                                 true,
		`t.Run("a", func(t *testing.T) { t.Run("x", f) }); go t.Run("b", f)`: false,
	} {
		all := Conducts([]byte("package m\n\nfunc TestA(t *testing.T) { " + body + " }\n"))
		if len(all) != 1 || all[0].ChecksOutcome != want {
			t.Errorf("%s: %+v, want %v", body, all, want)
		}
	}
	for _, broken := range []string{"", "package", "package m\nfunc TestA(t *testing.T) { if"} {
		if all := Conducts([]byte(broken)); len(all) > 0 {
			t.Errorf("%q: %+v", broken, all)
		}
	}
	if all := Conducts([]byte("package m\nfunc (s *Suite[P]) TestA() { s.help() }")); all[0].Receiver != "Suite" || !all[0].Mentions["help"] {
		t.Errorf("%+v", all)
	}
}
