// Command proctor-fleet is proctor with runs on many machines, handed out by Temporal. It
// is a separate module so that proctor does not depend on Temporal.
package main
