-- A digest of a test's body: one that was renamed keeps it.
ALTER TABLE tests ADD COLUMN body TEXT NOT NULL DEFAULT '';
