// Package state describes what the declarations of a Go package have to do with state
// that outlives a test: which package-level variables they mention, which they may
// change, and which functions and types they lead to ([Package.StateOf]). It knows one
// directory, by its syntax and the types of its own declarations; other packages are
// known by name only.
//
// Names are strings that mean the same in all files of a workspace: "dir.name" for
// unexported top-level declarations, and ".Name" for exported ones of any package; with
// "()" before the dot for methods and fields, because the type of the receiver is
// unknown. So a name may match too much, but never too little. "path.Name" is a name in
// a package outside of the workspace, and plain words denote process-wide state of the
// standard library.
//
// A variable is changed where it, or something reached through it, is assigned to, has
// its address taken, or is used to send to or receive from a channel. If its value is
// passed on, as an argument, a result or to another variable, the receiver may change
// what it leads to. Such uses are distinguished by what they pass on: "name" for the
// value, "name[]" for a part of it, and "name()" for the receiver of a method. The type
// of the variable determines which of these matter. Regular expressions, errors, times
// and the like are known not to change.
//
// The package cannot see state behind package unsafe and reflection, functions that
// were registered before the first test, state of other modules, or files.
package state
