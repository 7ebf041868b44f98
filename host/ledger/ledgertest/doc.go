// Package ledgertest makes workspaces with an invented history, for tests.
package ledgertest
