-- name: HideRun :execrows
UPDATE runs SET workspace = 0, state = 'removed', uid = CAST(id AS TEXT) WHERE id = ? AND workspace = ?;

-- name: HiddenRuns :many
SELECT id FROM runs WHERE workspace = 0 ORDER BY id;

-- name: DropMeasures :execrows
DELETE FROM measures WHERE (run, name, test) IN (
    SELECT m.run, m.name, m.test FROM measures m WHERE m.run = ? LIMIT ?);

-- name: DropRun :exec
DELETE FROM runs WHERE id = ?;

-- name: DropSessions :exec
DELETE FROM sessions WHERE sessions.workspace = ? AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.session = sessions.id);

-- name: DropDeltas :exec
DELETE FROM states WHERE states.workspace = ? AND states.saved_at < ? AND states.base IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.workspace = states.workspace AND r.fingerprint = states.uid);

-- name: DropKeyframes :exec
DELETE FROM states WHERE states.workspace = ? AND states.saved_at < ? AND states.base IS NULL
    AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.workspace = states.workspace AND r.fingerprint = states.uid)
    AND NOT EXISTS (SELECT 1 FROM states d WHERE d.base = states.id);
