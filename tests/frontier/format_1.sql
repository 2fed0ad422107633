-- A job's file as code of format 1 left it: one page stored, one that had failed is queued again.

-- A job's file: its frontier, the outcomes of its pages, its records.

-- A task and how many of its entries are where.
CREATE TABLE IF NOT EXISTS task (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    added INTEGER NOT NULL DEFAULT 0,
    duplicates INTEGER NOT NULL DEFAULT 0,
    stored INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    dead INTEGER NOT NULL DEFAULT 0,
    queued INTEGER NOT NULL DEFAULT 0,
    delayed INTEGER NOT NULL DEFAULT 0,
    leased INTEGER NOT NULL DEFAULT 0,
    max_pages INTEGER,
    max_host_pages INTEGER,
    weight REAL NOT NULL DEFAULT 1.0
);

-- Fingerprints of every address a task was ever offered and took in.
CREATE TABLE IF NOT EXISTS seen (
    task INTEGER NOT NULL,
    fingerprint INTEGER NOT NULL,
    PRIMARY KEY (task, fingerprint)
) WITHOUT ROWID;

-- A host's turn: hosts with the lowest number are served first. `paused`: until then, in seconds since 1970, none is.
CREATE TABLE IF NOT EXISTS host (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    turn INTEGER NOT NULL DEFAULT 0,
    queued INTEGER NOT NULL DEFAULT 0,
    leased INTEGER NOT NULL DEFAULT 0,
    paused REAL NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS host_open ON host (turn, id) WHERE queued > 0;

-- What one task has on one host. `spent` is its virtual time there: pages taken by weight.
CREATE TABLE IF NOT EXISTS lane (
    id INTEGER PRIMARY KEY,
    task INTEGER NOT NULL REFERENCES task,
    host INTEGER NOT NULL REFERENCES host,
    queued INTEGER NOT NULL DEFAULT 0,
    delayed INTEGER NOT NULL DEFAULT 0,
    leased INTEGER NOT NULL DEFAULT 0,
    stored INTEGER NOT NULL DEFAULT 0,
    spent REAL NOT NULL DEFAULT 0,
    UNIQUE (task, host)
);
CREATE INDEX IF NOT EXISTS lane_open ON lane (host, spent, id) WHERE queued > 0;
CREATE INDEX IF NOT EXISTS lane_task ON lane (task);

-- What has not ended, and the dead letters. state: 0 queued, 1 delayed, 2 leased, 3 dead, 4 suspect (queued, to be
-- leased alone).
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY,
    lane INTEGER NOT NULL REFERENCES lane,
    state INTEGER NOT NULL DEFAULT 0,
    rank INTEGER NOT NULL, -- minus the priority
    depth INTEGER NOT NULL,
    url TEXT NOT NULL,
    request TEXT,
    losses INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    begun INTEGER NOT NULL DEFAULT 0,
    token INTEGER NOT NULL DEFAULT 0,
    claim INTEGER, -- the fingerprint of the address that it redirected to
    page INTEGER, -- of the dead: what was kept of it
    due REAL, -- of the delayed: when they are queued again; of the leased: when the lease ends
    reason TEXT, -- of the dead
    status INTEGER
);
CREATE INDEX IF NOT EXISTS entry_queued ON entry (lane, rank, depth, id) WHERE state = 0;
CREATE INDEX IF NOT EXISTS entry_due ON entry (state, due) WHERE state IN (1, 2);
CREATE INDEX IF NOT EXISTS entry_apart ON entry (state, id) WHERE state IN (3, 4);

-- Pages with an outcome, in the order in which they ended.
CREATE TABLE IF NOT EXISTS page (
    id INTEGER PRIMARY KEY,
    task INTEGER NOT NULL REFERENCES task,
    url TEXT NOT NULL,
    outcome TEXT NOT NULL, -- stored, skipped; dead where something was kept of it
    reason TEXT,
    status INTEGER,
    depth INTEGER NOT NULL,
    ended REAL NOT NULL, -- seconds since 1970
    body TEXT -- JSON of what else is known of it
);

-- Records by page and ordinal, as JSON.
CREATE TABLE IF NOT EXISTS record (
    page INTEGER NOT NULL REFERENCES page,
    ordinal INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (page, ordinal)
) WITHOUT ROWID;

-- What the spider of a job has to know when it is started again.
CREATE TABLE IF NOT EXISTS note (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- The outputs that pages were appended to: all pages up to `pages` stand there. Where `next` is set, an append of those
-- up to it was begun at byte `start` of the output.
CREATE TABLE IF NOT EXISTS export (
    output TEXT PRIMARY KEY,
    pages INTEGER NOT NULL,
    start INTEGER,
    next INTEGER
) WITHOUT ROWID;

-- How often each reason ended entries.
CREATE TABLE IF NOT EXISTS reason (
    task INTEGER NOT NULL REFERENCES task,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    entries INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (task, outcome, reason)
) WITHOUT ROWID;

-- Numbers that outlive the process: token (of the last lease), turn (of the last host served).
CREATE TABLE IF NOT EXISTS counter (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT OR IGNORE INTO counter VALUES ('token', 0), ('turn', 0);

PRAGMA application_id = 1396787782;
PRAGMA user_version = 1;
INSERT INTO task (id, name, added, stored, queued) VALUES (1, 't', 2, 1, 1);
INSERT INTO host (id, name, queued) VALUES (1, 'a.example', 1);
INSERT INTO lane (id, task, host, queued, stored) VALUES (1, 1, 1, 1, 1);
INSERT INTO page VALUES (1, 1, 'http://a.example/s', 'stored', NULL, 200, 0, 1764550000.0, 'stored');
INSERT INTO page VALUES (2, 1, 'http://a.example/f', 'dead', 'HTTP 503', 503, 0, 1764550000.0, 'failed');
INSERT INTO record VALUES (2, 0, '{}');
INSERT INTO entry (id, lane, rank, depth, url, page) VALUES (2, 1, 0, 0, 'http://a.example/f', 2);
