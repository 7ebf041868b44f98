-- name: HideRun :execrows
UPDATE runs SET workspace = 0, state = 'removed', uid = CAST(id AS TEXT) WHERE id = ? AND workspace = ?;

-- name: HiddenRuns :many
SELECT id FROM runs WHERE workspace = 0 ORDER BY id;

-- name: HiddenShare :one
SELECT CAST(coalesce(sum(CASE WHEN workspace = 0 THEN results END), 0) AS INTEGER) AS hidden,
    CAST(coalesce(sum(results), 0) AS INTEGER) AS everything FROM runs;

-- name: LastIDs :one
SELECT CAST(coalesce((SELECT max(tests.id) FROM tests), 0) AS INTEGER) AS test,
    CAST(coalesce((SELECT max(signatures.id) FROM signatures), 0) AS INTEGER) AS signature;

-- name: DropMeasures :execrows
DELETE FROM measures WHERE (run, name, test) IN (
    SELECT m.run, m.name, m.test FROM measures m WHERE m.run = ? LIMIT ?);

-- name: DropHiddenMeasures :execrows
DELETE FROM measures WHERE (run, name, test) IN (
    SELECT m.run, m.name, m.test FROM runs r CROSS JOIN measures m ON m.run = r.id WHERE r.workspace = 0 LIMIT ?);

-- name: DropParts :exec
DELETE FROM tests WHERE tests.id >= @first AND tests.id <= @last AND tests.root <> ''
    AND NOT EXISTS (SELECT 1 FROM results x WHERE x.test = tests.id);

-- name: DropFailures :exec
DELETE FROM signatures WHERE signatures.id >= @first AND signatures.id <= @last
    AND NOT EXISTS (SELECT 1 FROM results x WHERE x.signature = signatures.id);

-- name: DropHiddenRuns :execrows
DELETE FROM runs WHERE runs.id IN (
    SELECT r.id FROM runs r WHERE r.workspace = 0 AND NOT EXISTS (SELECT 1 FROM results x WHERE x.run = r.id)
        AND NOT EXISTS (SELECT 1 FROM measures m WHERE m.run = r.id) LIMIT ?);

-- name: DropSessions :exec
DELETE FROM sessions WHERE sessions.workspace = ? AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.session = sessions.id);

-- name: DropDeltas :execrows
DELETE FROM states WHERE states.id IN (
    SELECT s.id FROM states s WHERE s.workspace = ? AND s.saved_at < ? AND s.base IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.workspace = s.workspace AND r.fingerprint = s.uid) LIMIT ?);

-- name: DropKeyframes :execrows
DELETE FROM states WHERE states.id IN (
    SELECT s.id FROM states s WHERE s.workspace = ? AND s.saved_at < ? AND s.base IS NULL
        AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.workspace = s.workspace AND r.fingerprint = s.uid)
        AND NOT EXISTS (SELECT 1 FROM states d WHERE d.base = s.id) LIMIT ?);
