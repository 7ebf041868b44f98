// Package state tells what the declarations of a Go package have to do with state that
// outlives a test: which variables of packages they mention, which they may change, and
// which functions and types they lead to ([Package.Of]). It knows one directory, by its
// syntax and the types of its own declarations; other packages are known by name only.
//
// Names are texts that mean the same in all files of a workspace: "dir.name" of what is
// declared at the top of a package and not exported, ".Name" of what is, whichever
// package it is of; the same with "()" in front of the dot for methods and fields, as
// the type of what they are called on is not known. So more may be meant than is, and
// nothing less. "path.Name" is a name of a package that is not of the workspace, and words
// stand for state that the standard library has for the whole process.
//
// A variable is changed where it, or something reached by it, is assigned to, has its
// address taken, or receives from or sends to a channel. Where its value is handed on, as
// an argument, a result or to another variable, whoever gets it may change what it
// leads to: these places are told apart by what they hand on - "name" for the value,
// "name[]" for a part of it, "name()" for the receiver of a method - and the variable
// says by its type which of these matter. Regular expressions, errors, times and the
// like are known to stay what they are.
//
// What it cannot see: state behind package unsafe and reflection, functions that were
// registered before the first test, state of other modules, files.
package state
