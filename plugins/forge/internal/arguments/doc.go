// Package arguments parses the arguments of "forge test": which words belong to which
// option. It knows how many words each option takes, as listed by `forge test --help`
// of 1.7.1.
//
// It does not interpret or reject options.
package arguments
