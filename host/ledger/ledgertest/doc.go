// Package ledgertest makes up workspaces with a ledger, for tests.
package ledgertest
