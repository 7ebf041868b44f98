// Command proctor-plugin-forge is proctor's detector plugin for Foundry. The
// host starts it; started by a person it says so.
//
// The detector is package plugins/forge, the protocol package sdk.
package main
