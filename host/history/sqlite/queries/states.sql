-- name: HasState :one
SELECT count(*) FROM states WHERE workspace = ? AND uid = ?;

-- name: State :one
SELECT base, kind, top, git_commit, git_branch, worktree, dirty, files FROM states WHERE workspace = ? AND uid = ?;

-- name: StateFiles :one
SELECT files FROM states WHERE id = ?;

-- name: LatestKeyframe :one
SELECT id, files FROM states WHERE workspace = ? AND base IS NULL ORDER BY id DESC LIMIT 1;

-- name: AddState :exec
INSERT INTO states (workspace, uid, base, kind, top, git_commit, git_branch, worktree, dirty, saved_at, files)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;
