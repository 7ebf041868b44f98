// Package storetest starts a real S3 server for tests.
package storetest
