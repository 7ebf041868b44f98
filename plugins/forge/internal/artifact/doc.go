// Package artifact reads what forge's compiler left behind: the index
// cache/solidity-files-cache.json, one artifact for each contract below out/,
// and the numbering of sources in out/build-info/.
//
// [Open] reads the index; [Project.Contract] one artifact, where the index says
// it is. The format of the index is that of foundry-compilers ("ethers-rs-sol-
// cache" formerly), in all versions seen; the format of code and source maps is
// solc's, see its documentation of the standard JSON output.
//
// Nothing here is trusted. Names from these files are only followed within the
// project's out and cache folders; sources are read within the root, or where
// the compiler recorded them; every file is bounded, see limits.go.
//
// The package compiles nothing, and does not know what a test is: that is
// package declaration.
package artifact
