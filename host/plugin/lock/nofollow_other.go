//go:build !unix

package lock

const noFollow = 0
