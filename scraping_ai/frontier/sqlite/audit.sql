-- What one worker does to a file that it opens: rows that no crawl can have written are told from the others, and counters
-- are counted anew where they say something else. A file may have been edited, or come from anybody. No row that is as a
-- crawl writes it is changed. What is queued is looked at when it is leased (leasing.py): there may be millions.

-- name: stray_tasks
-- -> nothing. Numbers of tasks begin with 1.
DELETE FROM task WHERE id < 1;

-- name: stray_lanes
-- -> nothing. Lanes of no task or no host.
DELETE FROM lane WHERE task NOT IN (SELECT id FROM task UNION ALL SELECT task FROM forgotten)
    OR host NOT IN (SELECT id FROM host);

-- name: forged_entries
-- :latest -> nothing. They become dead letters, without what they said.
UPDATE entry SET state = 3, rank = 0, depth = 0, url = substr(CAST(url AS TEXT), 1, 2083), request = NULL, losses = 0,
    tries = 0, begun = 0, token = 0, claim = NULL, page = iif(typeof(page) = 'integer', page, NULL), due = NULL,
    reason = 'not an entry', status = NULL
WHERE state IS NOT 0 AND NOT (
    typeof(url) = 'text' AND length(url) <= 1000000
    AND typeof(state) = 'integer' AND state BETWEEN 0 AND 4
    AND typeof(rank) = 'integer' AND rank BETWEEN -9007199254740992 AND 9007199254740992
    AND typeof(depth) = 'integer' AND depth BETWEEN 0 AND 2147483647
    AND typeof(losses) = 'integer' AND losses BETWEEN 0 AND 2147483647
    AND typeof(tries) = 'integer' AND tries BETWEEN 0 AND 2147483647
    AND typeof(begun) = 'integer' AND begun BETWEEN 0 AND 1
    AND typeof(token) = 'integer' AND token BETWEEN 0 AND 4611686018427387904
    AND typeof(request) IN ('null', 'text') AND ifnull(length(request), 0) <= 1000000
    AND typeof(claim) IN ('null', 'integer')
    AND typeof(page) IN ('null', 'integer')
    AND typeof(reason) IN ('null', 'text')
    AND typeof(status) IN ('null', 'integer')
    AND iif(state IN (1, 2), typeof(due) IN ('integer', 'real') AND due <= :latest, due IS NULL)
);

-- name: forged_hosts
-- :latest -> nothing
UPDATE host SET name = iif(typeof(name) = 'text', name, 'forged:' || id),
    turn = iif(typeof(turn) = 'integer' AND abs(turn) < 4611686018427387904, turn, 0),
    paused = iif(typeof(paused) = 'real' AND paused <= :latest, paused, 0),
    queued = 0, leased = 0
WHERE NOT (
    typeof(name) = 'text' AND typeof(turn) = 'integer' AND turn BETWEEN -4611686018427387904 AND 4611686018427387904
    AND typeof(paused) = 'real' AND paused <= :latest
);

-- name: forged_lanes
-- -> nothing
UPDATE lane SET stored = iif(typeof(stored) = 'integer' AND stored BETWEEN 0 AND 1e15, stored, 0),
    spent = iif(typeof(spent) = 'real' AND spent BETWEEN 0 AND 1e15, spent, 0)
WHERE NOT (
    typeof(stored) = 'integer' AND stored BETWEEN 0 AND 1e15 AND typeof(spent) = 'real' AND spent BETWEEN 0 AND 1e15
);

-- name: forged_tasks
-- -> nothing
UPDATE task SET name = iif(typeof(name) = 'text', name, 'forged:' || id),
    duplicates = iif(typeof(duplicates) = 'integer' AND duplicates BETWEEN 0 AND 1e15, duplicates, 0),
    stored = iif(typeof(stored) = 'integer' AND stored BETWEEN 0 AND 1e15, stored, 0),
    skipped = iif(typeof(skipped) = 'integer' AND skipped BETWEEN 0 AND 1e15, skipped, 0),
    max_pages = iif(typeof(max_pages) = 'integer' AND max_pages >= 0, max_pages, NULL),
    max_host_pages = iif(typeof(max_host_pages) = 'integer' AND max_host_pages >= 0, max_host_pages, NULL),
    weight = iif(typeof(weight) = 'real' AND weight BETWEEN 1e-9 AND 1e9, weight, 1)
WHERE NOT (
    typeof(name) = 'text' AND typeof(duplicates) = 'integer' AND duplicates BETWEEN 0 AND 1e15
    AND typeof(stored) = 'integer' AND stored BETWEEN 0 AND 1e15
    AND typeof(skipped) = 'integer' AND skipped BETWEEN 0 AND 1e15
    AND (max_pages IS NULL OR typeof(max_pages) = 'integer' AND max_pages >= 0)
    AND (max_host_pages IS NULL OR typeof(max_host_pages) = 'integer' AND max_host_pages >= 0)
    AND typeof(weight) = 'real' AND weight BETWEEN 1e-9 AND 1e9
);

-- name: recount_lanes
-- -> nothing
WITH each AS (
    SELECT lane, count(*) AS queued, 0 AS delayed, 0 AS leased FROM entry INDEXED BY entry_queued WHERE state = 0
    GROUP BY lane
    UNION ALL SELECT lane, 0, sum(state = 1), sum(state = 2) FROM entry INDEXED BY entry_due WHERE state IN (1, 2)
    GROUP BY lane
    UNION ALL SELECT lane, count(*), 0, 0 FROM entry INDEXED BY entry_apart WHERE state IN (3, 4) AND state = 4
    GROUP BY lane
), found AS MATERIALIZED (
    SELECT lane, sum(queued) AS queued, sum(delayed) AS delayed, sum(leased) AS leased FROM each GROUP BY lane
)
UPDATE lane SET queued = new.queued, delayed = new.delayed, leased = new.leased FROM (
    SELECT lane.id, ifnull(found.queued, 0) AS queued, ifnull(found.delayed, 0) AS delayed,
        ifnull(found.leased, 0) AS leased
    FROM lane LEFT JOIN found ON found.lane = lane.id
) AS new
WHERE new.id = lane.id AND (lane.queued, lane.delayed, lane.leased) IS NOT (new.queued, new.delayed, new.leased);

-- name: recount_hosts
-- -> nothing
WITH found AS MATERIALIZED (SELECT host, sum(queued) AS queued, sum(leased) AS leased FROM lane GROUP BY host)
UPDATE host SET queued = new.queued, leased = new.leased FROM (
    SELECT host.id, ifnull(found.queued, 0) AS queued, ifnull(found.leased, 0) AS leased
    FROM host LEFT JOIN found ON found.host = host.id
) AS new
WHERE new.id = host.id AND (host.queued, host.leased) IS NOT (new.queued, new.leased);

-- name: recount_tasks
-- -> nothing. What was added is the sum of what became of it.
WITH found AS MATERIALIZED (
    SELECT task, sum(queued) AS queued, sum(delayed) AS delayed, sum(leased) AS leased FROM lane GROUP BY task
), letters AS MATERIALIZED (
    SELECT lane.task AS task, count(*) AS dead FROM entry INDEXED BY entry_apart JOIN lane ON lane.id = entry.lane
    WHERE entry.state IN (3, 4) AND entry.state = 3 GROUP BY lane.task
)
UPDATE task SET added = new.added, dead = new.dead, queued = new.queued, delayed = new.delayed, leased = new.leased FROM (
    SELECT task.id, ifnull(letters.dead, 0) AS dead, ifnull(found.queued, 0) AS queued,
        ifnull(found.delayed, 0) AS delayed, ifnull(found.leased, 0) AS leased,
        task.stored + task.skipped + ifnull(letters.dead, 0)
            + ifnull(found.queued + found.delayed + found.leased, 0) AS added
    FROM task LEFT JOIN found ON found.task = task.id LEFT JOIN letters ON letters.task = task.id
) AS new
WHERE new.id = task.id AND (task.added, task.dead, task.queued, task.delayed, task.leased)
    IS NOT (new.added, new.dead, new.queued, new.delayed, new.leased);

-- name: forged_counters
-- -> nothing
INSERT OR REPLACE INTO counter SELECT wanted.name, wanted.value FROM (
    SELECT 'token' AS name, (
        SELECT ifnull(max(token), 0) FROM entry INDEXED BY entry_due WHERE state IN (1, 2)
    ) + 1 AS value
    UNION ALL SELECT 'turn', (SELECT ifnull(max(turn), 0) FROM host) + 1
    UNION ALL SELECT 'task', (SELECT ifnull(max(id), 0) FROM task)
) AS wanted LEFT JOIN counter ON counter.name = wanted.name
WHERE counter.name IS NULL
    OR NOT (typeof(counter.value) = 'integer' AND counter.value BETWEEN 0 AND 4611686018427387904);

-- name: recount_reasons
-- -> nothing. Of dead letters; what follows a colon is one page's own.
INSERT INTO reason (task, outcome, reason, entries) SELECT * FROM (
    SELECT lane.task, 'dead', substr(ifnull(reason, 'failed'), 1, instr(ifnull(reason, 'failed') || ':', ':') - 1) AS words,
        count(*)
    FROM entry INDEXED BY entry_apart JOIN lane ON lane.id = entry.lane
    WHERE entry.state IN (3, 4) AND entry.state = 3 GROUP BY lane.task, words
) WHERE true ON CONFLICT DO UPDATE SET entries = excluded.entries WHERE entries IS NOT excluded.entries;

-- name: forget_reasons
-- -> nothing. Those that no dead letter has.
UPDATE reason SET entries = 0 WHERE outcome = 'dead' AND entries IS NOT 0 AND (task, reason) NOT IN (
    SELECT lane.task, substr(ifnull(entry.reason, 'failed'), 1, instr(ifnull(entry.reason, 'failed') || ':', ':') - 1)
    FROM entry INDEXED BY entry_apart JOIN lane ON lane.id = entry.lane
    WHERE entry.state IN (3, 4) AND entry.state = 3
);
