// Package translate puts a request into the terms of each plugin, before anything runs.
package translate
