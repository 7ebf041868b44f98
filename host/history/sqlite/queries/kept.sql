-- name: Outstanding :one
SELECT value FROM outstanding WHERE workspace = ? AND language = ?;

-- name: OutstandingLanguages :many
SELECT language FROM outstanding WHERE workspace = ? ORDER BY language;

-- name: SetOutstanding :exec
INSERT INTO outstanding (workspace, language, value) VALUES (?, ?, ?)
ON CONFLICT (workspace, language) DO UPDATE SET value = excluded.value;

-- name: SetEntry :exec
INSERT INTO entries (workspace, session_uid, file, status, classification, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (workspace, session_uid, file) DO UPDATE SET
    status = excluded.status, classification = excluded.classification, at = excluded.at;

-- name: DropEntries :exec
DELETE FROM entries WHERE id IN (
    SELECT e.id FROM entries e WHERE e.workspace = ? ORDER BY e.at DESC, e.id DESC LIMIT -1 OFFSET ?);

-- name: Entries :many
SELECT session_uid, file, status, classification, at FROM entries WHERE workspace = ? ORDER BY at, id;

-- name: SetDeferral :exec
INSERT INTO deferrals (workspace, language, suite, name, file, digest, session_uid, at, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (workspace, language, suite, name) DO UPDATE SET
    file = excluded.file, digest = excluded.digest, session_uid = excluded.session_uid, at = excluded.at, reason = excluded.reason;

-- name: DropDeferral :exec
DELETE FROM deferrals WHERE workspace = ? AND language = ? AND suite = ? AND name = ?;

-- name: Deferrals :many
SELECT language, suite, name, file, digest, session_uid, at, reason FROM deferrals
WHERE workspace = ? ORDER BY language, suite, name;

-- name: SetAnswer :exec
INSERT INTO answers (workspace, name, value, at) VALUES (?, ?, ?, ?)
ON CONFLICT (workspace, name) DO UPDATE SET value = excluded.value, at = excluded.at;

-- name: Answer :one
SELECT value FROM answers WHERE workspace = ? AND name = ?;

-- name: DropAnswers :exec
DELETE FROM answers WHERE workspace = @workspace AND name >= @beginning AND name < @beyond AND at < @before;
