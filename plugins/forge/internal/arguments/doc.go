// Package arguments reads the arguments of "forge test": which words belong to
// which option. It knows how many words an option takes, as `forge test --help`
// of 1.7.1 lists them.
//
// It is not responsible for what an option means, nor for refusing any.
package arguments
