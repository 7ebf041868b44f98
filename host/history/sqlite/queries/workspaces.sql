-- name: Workspaces :many
SELECT id, worktree, lost FROM workspaces WHERE root = ? ORDER BY id DESC;

-- name: AddWorkspace :one
INSERT INTO workspaces (root, worktree, lost) VALUES (?, ?, ?) RETURNING id;

-- name: SetWorktree :exec
UPDATE workspaces SET worktree = ? WHERE id = ?;
