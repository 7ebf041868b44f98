-- name: AddSession :exec
INSERT INTO sessions (workspace, uid, started_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: SessionID :one
SELECT id FROM sessions WHERE workspace = ? AND uid = ?;

-- name: HasRun :one
SELECT count(*) FROM runs WHERE workspace = ? AND uid = ?;

-- name: RunKey :one
SELECT id FROM runs WHERE workspace = ? AND uid = ?;

-- name: RunStanding :one
SELECT session, state, kind, mixed_state, language, fingerprint, environment FROM runs WHERE id = ?;

-- name: AddRun :one
INSERT INTO runs (workspace, session, state, kind, language, mixed_state, whole, started_at, duration, uid, fingerprint,
    environment, seed, verdict, reason, plugin, plugin_version, git_commit, git_branch, origin, outstanding, counts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING id;

-- name: SetRun :exec
UPDATE runs SET state = ?, kind = ?, mixed_state = ?, whole = ?, started_at = ?, duration = ?, fingerprint = ?, environment = ?,
    seed = ?, verdict = ?, reason = ?, plugin = ?, plugin_version = ?, git_commit = ?, git_branch = ?, origin = ?,
    outstanding = ?, counts = ?
WHERE id = ?;

-- name: RunIDsFrom :many
SELECT uid FROM runs WHERE workspace = ? AND uid >= ? ORDER BY uid LIMIT ?;

-- name: AddResultCount :execrows
UPDATE runs SET results = results + ? WHERE id = ? AND workspace = ?;

-- name: ReopenRun :exec
UPDATE runs SET state = 'running' WHERE id = ? AND state = 'finished';

-- name: ClearResultCount :exec
UPDATE runs SET results = 0 WHERE id = ?;
