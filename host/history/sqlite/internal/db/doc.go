// Package db is the history's static queries as typed functions. sqlc generates it
// from the files in queries and migrations; see sqlc.yaml. It is not responsible
// for transactions, nor for queries that are put together at run time.
package db
