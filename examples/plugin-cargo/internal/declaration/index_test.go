package declaration

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestDeclarationsOfTestsAreFound(t *testing.T) {
	root := writeFiles(t, map[string]string{
		"src/lib.rs": `//! #[test] fn comment() {}
#![allow(dead_code)]
/* /* #[test] */ #[test] fn nested() {} */
mod parse;
mod deep { mod inner; #[test] fn here() {} }
#[path = "other/place.rs"]
mod moved;
const S: &str = "#[test] fn text() {} \" {";
const R: &str = r#"#[test] fn raw() {} " {"#;
fn f<'a>(c: char) -> char { let x = '{'; let y = '\''; x }
impl X { #[test] fn method() {} }
macro_rules! m { ($n:ident) => { #[test] fn $n() {} #[test] fn made() {} } }
m! { called }
#[cfg(test)]
mod tests {
    #[tokio::test(flavor = "multi_thread")]
    pub async fn waits() {}
    #[test]
    #[should_panic(expected = "test }")]
    fn
    panics() { #[test] fn within() {} }
    fn no_test() {}
    #[cfg(a)] #[test] fn twice() {}
    #[cfg(not(a))] #[test] fn twice() {}
}
`,
		"src/parse.rs":          "mod sub;\n#[test]\nfn parses() {}",
		"src/parse/sub.rs":      "#[test] fn sub() {}",
		"src/deep/inner/mod.rs": "\n#[test] fn inner() {}",
		"src/other/place.rs":    "mod beside; #[test] fn moved() {}",
		"src/other/beside.rs":   "#[test] fn beside() {}",
	})
	x := New(context.Background(), root, "src/lib.rs")
	want := map[string]Place{
		"parse::parses": {"src/parse.rs", 3}, "parse::sub::sub": {"src/parse/sub.rs", 1},
		"deep::here": {"src/lib.rs", 5}, "deep::inner::inner": {"src/deep/inner/mod.rs", 2},
		"moved::moved": {"src/other/place.rs", 1}, "moved::beside::beside": {"src/other/beside.rs", 1},
		"tests::waits": {"src/lib.rs", 17}, "tests::panics": {"src/lib.rs", 21},
	}
	for name, at := range want {
		if got, ok := x.Find(name); !ok || got != at {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, ok, at)
		}
	}
	if _, ok := x.Find("tests::twice"); ok {
		t.Error("an ambiguous test was found")
	}
	names, unique := x.Names()
	if len(names) != len(want)+1 || unique {
		t.Errorf("found %q, unique: %v", names, unique)
	}
}

func TestFilesOutsideTheRootAreNotRead(t *testing.T) {
	root := writeFiles(t, map[string]string{
		"project/src/lib.rs": "#[path = \"../../secret.rs\"]\nmod secret;\nmod link;\nmod lib;\n#[path = \"lib.rs\"]\nmod again;",
		"secret.rs":          "#[test] fn secret() {}",
	})
	if err := os.Symlink(filepath.Join(root, "secret.rs"), filepath.Join(root, "project", "src", "link.rs")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	x := New(context.Background(), filepath.Join(root, "project"), "src/lib.rs")
	if names, _ := x.Names(); len(names) != 0 {
		t.Errorf("found %q", names)
	}
	if names, _ := New(context.Background(), root, "../secret.rs").Names(); len(names) != 0 {
		t.Errorf("found %q", names)
	}
}

func FuzzAnythingIsRead(f *testing.F) {
	f.Add("#[path=\"x\"] mod a; r#\"x\"# '\\u{7d}' b\"x\" /* mod")
	f.Fuzz(func(t *testing.T, src string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "lib.rs"), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		New(context.Background(), dir, "lib.rs")
	})
}
