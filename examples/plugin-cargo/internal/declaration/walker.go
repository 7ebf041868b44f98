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

	// From the attributes of the next item:
	test bool   // one makes it a test
	path string // where the module's file is
}

// readModule reads items until the module's closing brace.
func (w *walker) readModule(dir, prefix string) {
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
			w.readAttribute()
		case "mod":
			w.readSubmodule(dir, prefix)
			w.forgetAttributes()
		case "fn":
			w.readFunction(prefix)
			w.forgetAttributes()
		case "!": // a macro is called or defined: its text may mean anything
			w.skipGroup()
			w.forgetAttributes()
		case "{":
			w.skipToClose()
			w.forgetAttributes()
		case ";":
			w.forgetAttributes()
		}
	}
}

func (w *walker) forgetAttributes() { w.test, w.path = false, "" }

func (w *walker) readSubmodule(dir, prefix string) {
	name, ok := w.next()
	if !ok {
		return
	}
	attribute := w.path
	mark, _ := w.next()
	prefix += name.text + "::"
	switch mark.text {
	case "{":
		w.forgetAttributes()
		if w.depth >= maxDepth {
			w.skipToClose()
			return
		}
		w.readModule(path.Join(dir, name.text), prefix)
	case ";":
		if attribute != "" {
			file := path.Join(path.Dir(w.file), attribute)
			w.index.readSource(w.ctx, file, path.Dir(file), prefix)
			return
		}
		sub := path.Join(dir, strings.TrimPrefix(name.text, "r#"))
		if !w.index.readSource(w.ctx, sub+".rs", sub, prefix) {
			w.index.readSource(w.ctx, path.Join(sub, "mod.rs"), sub, prefix)
		}
	}
}

func (w *walker) readFunction(prefix string) {
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
			w.skipToClose()
			return
		}
	}
}

// readAttribute reads #[...]. A function is a test if it has an attribute named test,
// including a path such as tokio::test.
func (w *walker) readAttribute() {
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

// skipGroup skips to the end of the next bracketed group, or of the item.
func (w *walker) skipGroup() {
	for {
		t, ok := w.next()
		switch {
		case !ok || t.text == ";" && !t.literal:
			return
		case !t.literal && (t.text == "{" || t.text == "(" || t.text == "["):
			w.skipToClose()
			return
		}
	}
}

// skipToClose skips to the end of the group whose opening bracket was just read.
func (w *walker) skipToClose() {
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
