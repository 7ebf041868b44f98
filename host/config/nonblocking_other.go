//go:build !unix

package config

const nonblocking = 0
