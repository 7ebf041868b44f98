// Package servertest runs a Temporal server as a team does: on PostgreSQL.
package servertest
