-- A workspace is a root and a git directory. Everything else belongs to one.
-- lost: the database replaces one that was set aside.
CREATE TABLE workspaces (
    id       INTEGER PRIMARY KEY,
    root     TEXT    NOT NULL,
    worktree TEXT    NOT NULL,
    lost     INTEGER NOT NULL,
    UNIQUE (root, worktree)
);

CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY,
    workspace  INTEGER NOT NULL REFERENCES workspaces (id),
    uid        TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    UNIQUE (workspace, uid)
);

-- The id is the order in which runs were put on record; it is never used again.
-- Times and durations are nanoseconds. What queries look at stands first.
CREATE TABLE runs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace      INTEGER NOT NULL REFERENCES workspaces (id),
    session        INTEGER NOT NULL REFERENCES sessions (id),
    state          TEXT    NOT NULL,
    kind           TEXT    NOT NULL,
    language       TEXT    NOT NULL,
    mixed_state    INTEGER NOT NULL,
    whole          INTEGER NOT NULL,
    started_at     INTEGER NOT NULL,
    duration       INTEGER NOT NULL,
    results        INTEGER NOT NULL DEFAULT 0,
    uid            TEXT    NOT NULL,
    fingerprint    TEXT    NOT NULL,
    environment    TEXT    NOT NULL,
    seed           TEXT    NOT NULL,
    verdict        TEXT    NOT NULL,
    reason         TEXT    NOT NULL,
    plugin         TEXT    NOT NULL,
    plugin_version TEXT    NOT NULL,
    git_commit     TEXT    NOT NULL,
    git_branch     TEXT    NOT NULL,
    origin         TEXT    NOT NULL,
    outstanding    INTEGER NOT NULL,
    counts         TEXT    NOT NULL,
    UNIQUE (workspace, uid)
);
CREATE INDEX runs_in_order ON runs (workspace);
CREATE INDEX runs_by_session ON runs (session);
CREATE INDEX runs_by_state ON runs (workspace, fingerprint, environment);

-- The dictionary of tests. first_run and first_session outlive what they name.
CREATE TABLE tests (
    id            INTEGER PRIMARY KEY,
    workspace     INTEGER NOT NULL REFERENCES workspaces (id),
    language      TEXT    NOT NULL,
    suite         TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    root          TEXT    NOT NULL,
    file          TEXT    NOT NULL,
    line          INTEGER NOT NULL,
    first_run     TEXT    NOT NULL,
    first_session TEXT    NOT NULL,
    first_at      INTEGER NOT NULL,
    UNIQUE (workspace, language, suite, name)
);
CREATE INDEX tests_by_file ON tests (workspace, file, language, suite) WHERE file <> '';

-- The dictionary of failures.
CREATE TABLE signatures (
    id        INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    hash      TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    excerpt   TEXT    NOT NULL,
    UNIQUE (workspace, hash, kind, excerpt)
);

-- Outcomes are those of package history: 1 and 3 are bad. A flag of 1 is derived.
CREATE TABLE results (
    run       INTEGER NOT NULL REFERENCES runs (id),
    test      INTEGER NOT NULL REFERENCES tests (id),
    seq       INTEGER NOT NULL,
    outcome   INTEGER NOT NULL,
    flags     INTEGER NOT NULL,
    duration  INTEGER NOT NULL,
    signature INTEGER,
    PRIMARY KEY (run, test, seq)
) WITHOUT ROWID;
CREATE INDEX results_by_test ON results (test, run, seq, outcome, flags, duration, signature);
CREATE INDEX results_bad ON results (run, test, flags) WHERE outcome IN (1, 3);
CREATE INDEX results_by_signature ON results (signature) WHERE signature IS NOT NULL;

-- What the runs that count, finished ones that are no triage, say against tests:
-- the last of them in which a test is bad, how many there are, in how many of these
-- not only for what is inside it, how many sessions they are of, and on how many
-- states, in one environment, it was both bad and good. suspects.go writes it, in the
-- transaction in which a run begins to count or ceases to.
CREATE TABLE suspects (
    test      INTEGER PRIMARY KEY REFERENCES tests (id) ON DELETE CASCADE,
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    last      INTEGER NOT NULL,
    runs      INTEGER NOT NULL,
    own       INTEGER NOT NULL,
    sessions  INTEGER NOT NULL,
    both      INTEGER NOT NULL
);
CREATE INDEX suspects_in_order ON suspects (workspace, last DESC, test, own, sessions, both);

CREATE TABLE measure_names (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE measures (
    run   INTEGER NOT NULL REFERENCES runs (id),
    name  INTEGER NOT NULL REFERENCES measure_names (id),
    test  INTEGER NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (run, name, test)
) WITHOUT ROWID;

-- The files of a state stand for themselves, or are what differs from those of
-- base, which stands for itself.
CREATE TABLE states (
    id         INTEGER PRIMARY KEY,
    workspace  INTEGER NOT NULL REFERENCES workspaces (id),
    uid        TEXT    NOT NULL,
    base       INTEGER REFERENCES states (id),
    kind       TEXT    NOT NULL,
    top        TEXT    NOT NULL,
    git_commit TEXT    NOT NULL,
    git_branch TEXT    NOT NULL,
    worktree   TEXT    NOT NULL,
    dirty      INTEGER NOT NULL,
    saved_at   INTEGER NOT NULL,
    files      BLOB    NOT NULL,
    UNIQUE (workspace, uid)
);
CREATE INDEX states_by_base ON states (base) WHERE base IS NOT NULL;

CREATE TABLE outstanding (
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    language  TEXT    NOT NULL,
    value     BLOB    NOT NULL,
    PRIMARY KEY (workspace, language)
) WITHOUT ROWID;

CREATE TABLE entries (
    id             INTEGER PRIMARY KEY,
    workspace      INTEGER NOT NULL REFERENCES workspaces (id),
    session_uid    TEXT    NOT NULL,
    file           TEXT    NOT NULL,
    status         TEXT    NOT NULL,
    classification TEXT    NOT NULL,
    at             INTEGER NOT NULL,
    UNIQUE (workspace, session_uid, file)
);
CREATE INDEX entries_by_time ON entries (workspace, at);

CREATE TABLE deferrals (
    workspace   INTEGER NOT NULL REFERENCES workspaces (id),
    language    TEXT    NOT NULL,
    suite       TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    file        TEXT    NOT NULL,
    digest      TEXT    NOT NULL,
    session_uid TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    reason      TEXT    NOT NULL,
    PRIMARY KEY (workspace, language, suite, name)
) WITHOUT ROWID;

CREATE TABLE answers (
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    name      TEXT    NOT NULL,
    value     BLOB    NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (workspace, name)
);

-- Runs that are being removed belong to it: nobody sees them.
INSERT INTO workspaces (id, root, worktree, lost) VALUES (0, '', '', 0);
