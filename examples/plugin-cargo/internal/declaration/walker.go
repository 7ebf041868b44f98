package declaration

import (
	"context"
	"path"
	"strings"
)

// maxDepth bounds modules within modules of one file.
const maxDepth = 200

// walker goes through the items of one file.
type walker struct {
	scanner
	index *Index
	ctx   context.Context
	file  string
	depth int

	// Of the attributes before the item that comes:
	test bool   // one makes it a test
	path string // where the module's file is
}

// module reads items until the module's closing brace.
func (w *walker) module(dir, prefix string) {
	w.depth++
	defer func() { w.depth-- }()
	for w.ctx.Err() == nil {
		t, ok := w.next()
		if !ok || (t.text == "}" && !t.literal) {
			return
		}
		if t.literal {
			continue
		}
		switch t.text {
		case "#":
			w.attribute()
		case "mod":
			w.submodule(dir, prefix)
			w.forget()
		case "fn":
			w.function(prefix)
			w.forget()
		case "!": // a macro is called or defined: what it makes of its text is its own business
			w.group()
			w.forget()
		case "{":
			w.balance()
			w.forget()
		case ";":
			w.forget()
		}
	}
}

func (w *walker) forget() { w.test, w.path = false, "" }

func (w *walker) submodule(dir, prefix string) {
	name, ok := w.next()
	if !ok {
		return
	}
	attribute := w.path
	mark, _ := w.next()
	prefix += name.text + "::"
	switch mark.text {
	case "{":
		w.forget()
		if w.depth >= maxDepth {
			w.balance()
			return
		}
		w.module(path.Join(dir, name.text), prefix)
	case ";":
		if attribute != "" {
			file := path.Join(path.Dir(w.file), attribute)
			w.index.file(w.ctx, file, path.Dir(file), prefix)
			return
		}
		sub := path.Join(dir, strings.TrimPrefix(name.text, "r#"))
		if !w.index.file(w.ctx, sub+".rs", sub, prefix) {
			w.index.file(w.ctx, path.Join(sub, "mod.rs"), sub, prefix)
		}
	}
}

func (w *walker) function(prefix string) {
	name, ok := w.next()
	if !ok {
		return
	}
	if w.test {
		w.index.add(prefix+name.text, Place{File: w.file, Line: name.line})
	}
	for {
		t, ok := w.next()
		switch {
		case !ok || (t.text == ";" && !t.literal):
			return
		case t.text == "{" && !t.literal:
			w.balance()
			return
		}
	}
}

// attribute reads #[...]. Tests are what has an attribute named test, also one
// of a path such as tokio::test.
func (w *walker) attribute() {
	t, ok := w.next()
	if ok && t.text == "!" {
		t, ok = w.next()
	}
	if !ok || t.text != "[" {
		return
	}
	first, last, named := "", "", true
	for depth := 1; depth > 0; {
		t, ok := w.next()
		if !ok {
			return
		}
		switch {
		case t.literal:
			if first == "path" && w.path == "" {
				w.path = t.text
			}
		case t.text == "[" || t.text == "(" || t.text == "{":
			depth++
			named = false
		case t.text == "]" || t.text == ")" || t.text == "}":
			depth--
		case t.text == "=":
			named = false
		case named && t.text != ":":
			if last = t.text; first == "" {
				first = last
			}
		}
	}
	if last == "test" {
		w.test = true
	}
}

// group skips to the end of the next bracketed group, or of the item.
func (w *walker) group() {
	for {
		t, ok := w.next()
		switch {
		case !ok || t.text == ";" && !t.literal:
			return
		case !t.literal && (t.text == "{" || t.text == "(" || t.text == "["):
			w.balance()
			return
		}
	}
}

// balance skips to the end of the group whose opening bracket was read.
func (w *walker) balance() {
	for depth := 1; depth > 0; {
		t, ok := w.next()
		if !ok {
			return
		}
		if t.literal {
			continue
		}
		switch t.text {
		case "{", "(", "[":
			depth++
		case "}", ")", "]":
			depth--
		}
	}
}
