-- name: start_task
-- :name, :max_pages, :max_host_pages, :weight -> nothing
INSERT INTO task (id, name, max_pages, max_host_pages, weight)
SELECT max(value, coalesce((SELECT max(id) FROM task), 0)) + 1, :name, :max_pages, :max_host_pages, :weight
FROM counter WHERE counter.name = 'task'
ON CONFLICT (name) DO UPDATE SET
    max_pages = excluded.max_pages, max_host_pages = excluded.max_host_pages, weight = excluded.weight;

-- name: put_options
-- :name, :options -> nothing
INSERT INTO note (name, value) VALUES ('options:' || :name, :options)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: options
-- :name -> what a task was started with
SELECT value FROM note WHERE name = 'options:' || :name;

-- name: find_task
-- :name -> id
SELECT id FROM task WHERE name = :name;

-- name: mark_seen
-- :task, :fingerprints (a JSON array of integers) -> those that were new
INSERT OR IGNORE INTO seen (task, fingerprint) SELECT :task, value FROM json_each(:fingerprints) WHERE true
RETURNING fingerprint;

-- name: add_host
-- :host -> nothing. A new host comes after those that wait: a stream of new ones would hold them back for ever.
INSERT OR IGNORE INTO host (name, turn) SELECT :host, value FROM counter WHERE name = 'turn';

-- name: add_lane
-- :task, :host -> nothing. A task that is new on a host starts where the others stand.
INSERT OR IGNORE INTO lane (task, host, spent)
SELECT :task, host.id, coalesce((SELECT min(spent) FROM lane WHERE lane.host = host.id AND queued > 0), 0)
FROM host WHERE host.name = :host;

-- name: find_lane
-- :task, :host -> lane, host
SELECT lane.id, lane.host FROM lane JOIN host ON host.id = lane.host WHERE lane.task = :task AND host.name = :host;

-- name: queue
-- lane, rank, depth, url, request -> nothing
INSERT INTO entry (lane, rank, depth, url, request) VALUES (?, ?, ?, ?, ?);

-- name: due
-- :state (1 or 2), :now, :limit -> entries of that state whose time has come. Here as below, a partial index is used only
-- where its own condition is repeated; else all entries would be read.
SELECT entry.id, entry.lane, lane.task, lane.host, entry.losses, entry.begun
FROM entry INDEXED BY entry_due JOIN lane ON lane.id = entry.lane
WHERE entry.state IN (1, 2) AND entry.state = :state AND entry.due <= :now LIMIT :limit;

-- name: back
-- :losses, :id -> nothing. Queued again; what has cost two workers is to be leased alone.
UPDATE entry SET state = CASE WHEN :losses < 2 THEN 0 ELSE 4 END, losses = :losses, due = NULL, begun = 0, token = 0
WHERE id = :id;

-- name: open_hosts
-- :per_host, :limit, :now -> hosts that have entries which may be leased, those whose turn it is first
SELECT id, name, leased FROM host WHERE queued > 0 AND leased < :per_host AND paused <= :now AND EXISTS (
    SELECT 1 FROM lane JOIN task ON task.id = lane.task WHERE lane.host = host.id AND lane.queued > 0
        AND task.stored + task.leased < ifnull(task.max_pages, 1e18)
        AND lane.stored + lane.leased < ifnull(task.max_host_pages, 1e18)
) ORDER BY turn, id LIMIT :limit;

-- name: open_lanes
-- :host -> a host's lanes that may be leased from, with what their tasks have and may have, the one that has had least
-- first
SELECT lane.id, task.id, task.name, task.weight, lane.spent, lane.queued, lane.stored + lane.leased,
    task.max_host_pages, task.stored + task.leased, task.max_pages
FROM lane JOIN task ON task.id = lane.task WHERE lane.host = :host AND lane.queued > 0
    AND task.stored + task.leased < ifnull(task.max_pages, 1e18)
    AND lane.stored + lane.leased < ifnull(task.max_host_pages, 1e18)
ORDER BY lane.spent, lane.id LIMIT 64;

-- name: pause_host
-- until, name -> nothing
UPDATE host SET paused = max(paused, ?) WHERE name = ?;

-- name: first_queued
-- :lane, :limit -> its entries in their order
SELECT id, url, depth, rank, request, losses, tries FROM entry INDEXED BY entry_queued
WHERE lane = :lane AND state = 0 ORDER BY rank, depth, id LIMIT :limit;

-- name: first_suspect
-- :per_host, :now -> an entry that is to be leased alone, and may be leased
SELECT entry.id, url, depth, rank, request, losses, tries, lane.id, lane.task, lane.host, host.name, task.name
FROM entry INDEXED BY entry_apart JOIN lane ON lane.id = entry.lane JOIN host ON host.id = lane.host
JOIN task ON task.id = lane.task
WHERE entry.state IN (3, 4) AND entry.state = 4 AND host.leased < :per_host AND host.paused <= :now
    AND task.stored + task.leased < ifnull(task.max_pages, 1e18)
    AND lane.stored + lane.leased < ifnull(task.max_host_pages, 1e18)
ORDER BY entry.id LIMIT 1;

-- name: take
-- token, due, id -> nothing
UPDATE entry SET state = 2, token = ?, due = ?, begun = 0 WHERE id = ?;

-- name: refuse
-- id -> nothing: no crawl can have written it
UPDATE entry SET state = 3, rank = 0, depth = 0, url = substr(CAST(url AS TEXT), 1, 2083), request = NULL, losses = 0,
    tries = 0, reason = 'not an entry', status = NULL WHERE id = ?;

-- name: count_up
-- by, name -> the new value of a counter
UPDATE counter SET value = value + ? WHERE name = ? RETURNING value;

-- name: serve_host
-- turn, id -> nothing
UPDATE host SET turn = ? WHERE id = ?;

-- name: spend
-- spent, id -> nothing
UPDATE lane SET spent = spent + ? WHERE id = ?;

-- name: begin
-- id, token -> nothing
UPDATE entry SET begun = 1 WHERE id = ? AND token = ? AND state = 2;

-- name: renew
-- due, id, token -> nothing
UPDATE entry SET due = ? WHERE id = ? AND token = ? AND state = 2;

-- name: claimed
-- id, token -> task, and the fingerprint that the entry has claimed, if the lease is held
SELECT lane.task, entry.claim FROM entry JOIN lane ON lane.id = entry.lane
WHERE entry.id = ? AND entry.token = ? AND entry.state = 2;

-- name: claim
-- claim, id -> nothing
UPDATE entry SET claim = ? WHERE id = ?;

-- name: held
-- id, token -> where it stands (lane, task, host), and the page that it was before it was replayed, if the lease is held
SELECT lane.id, lane.task, lane.host, entry.page FROM entry JOIN lane ON lane.id = entry.lane
WHERE entry.id = ? AND entry.token = ? AND entry.state = 2;

-- name: drop
-- id -> nothing
DELETE FROM entry WHERE id = ?;

-- name: bury
-- reason, status, losses, id -> nothing
UPDATE entry SET state = 3, due = NULL, token = 0, reason = ?, status = ?, losses = ? WHERE id = ?;

-- name: keep_page
-- page, id -> nothing: what was kept of a dead letter's page
UPDATE entry SET page = ? WHERE id = ?;

-- name: drop_records
-- page -> nothing
DELETE FROM record WHERE page = ?;

-- name: drop_page
-- page -> nothing
DELETE FROM page WHERE id = ?;

-- name: delay
-- due, request, id -> nothing
UPDATE entry SET state = 1, token = 0, begun = 0, tries = tries + 1, due = ?, request = coalesce(?, request) WHERE id = ?;

-- name: add_page
-- task, url, outcome, reason, status, depth, ended, body -> nothing
INSERT INTO page (task, url, outcome, reason, status, depth, ended, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_record
-- page, ordinal, body -> nothing
INSERT INTO record (page, ordinal, body) VALUES (?, ?, ?);

-- name: count_reason
-- task, outcome, reason, entries -> nothing
INSERT INTO reason (task, outcome, reason, entries) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET entries = entries + excluded.entries;

-- name: tally_task
-- added, duplicates, stored, skipped, dead, queued, delayed, leased, id -> nothing: all are added
UPDATE task SET added = added + ?, duplicates = duplicates + ?, stored = stored + ?, skipped = skipped + ?,
    dead = dead + ?, queued = queued + ?, delayed = delayed + ?, leased = leased + ? WHERE id = ?;

-- name: tally_lane
-- queued, queued, delayed, leased, stored, id -> nothing, all are added. A lane that was idle has saved up nothing: it starts where the others stand.
UPDATE lane SET
    spent = CASE WHEN queued = 0 AND ? > 0 THEN
        max(spent, coalesce((SELECT min(o.spent) FROM lane AS o WHERE o.host = lane.host AND o.queued > 0), spent))
        ELSE spent END,
    queued = queued + ?, delayed = delayed + ?, leased = leased + ?, stored = stored + ? WHERE id = ?;

-- name: tally_host
-- queued, leased, id -> nothing
UPDATE host SET queued = queued + ?, leased = leased + ? WHERE id = ?;

-- name: exhausted_tasks
-- :tasks (a JSON array of ids) -> those that may take no more pages, work on none, and have some left
SELECT id FROM task WHERE id IN (SELECT value FROM json_each(:tasks))
    AND stored >= max_pages AND leased = 0 AND queued + delayed > 0;

-- name: exhausted_lanes
-- :lanes (a JSON array of ids) -> those that may take no more pages, work on none, and have some left
SELECT lane.id FROM lane JOIN task ON task.id = lane.task WHERE lane.id IN (SELECT value FROM json_each(:lanes))
    AND lane.stored >= task.max_host_pages AND lane.leased = 0 AND lane.queued + lane.delayed > 0;

-- name: lanes_of
-- :task -> lane
SELECT id FROM lane WHERE task = :task;

-- name: pending_in
-- :lanes (a JSON array of ids) -> lane, task, host, queued, delayed, leased
SELECT id, task, host, queued, delayed, leased FROM lane
WHERE id IN (SELECT value FROM json_each(:lanes)) AND queued + delayed + leased > 0;

-- name: remove_queued
-- :lanes (a JSON array of ids) -> nothing
DELETE FROM entry WHERE lane IN (SELECT value FROM json_each(:lanes)) AND state = 0;

-- name: remove_due
-- :lanes (a JSON array of ids) -> nothing. What is delayed or leased.
DELETE FROM entry INDEXED BY entry_due WHERE state IN (1, 2) AND lane IN (SELECT value FROM json_each(:lanes));

-- name: remove_suspects
-- :lanes (a JSON array of ids) -> nothing
DELETE FROM entry INDEXED BY entry_apart WHERE state IN (3, 4) AND state = 4 AND lane IN (SELECT value FROM json_each(:lanes));

-- name: counts
-- :name -> one row. Here as below, what an operator sees is made what it should be: no crawl has looked through it.
SELECT CAST(added AS INTEGER), CAST(duplicates AS INTEGER), CAST(stored AS INTEGER), CAST(skipped AS INTEGER),
    CAST(dead AS INTEGER), CAST(queued AS INTEGER), CAST(delayed AS INTEGER), CAST(leased AS INTEGER), id
FROM task WHERE name = :name;

-- name: reasons
-- :task -> outcome, reason, entries
SELECT outcome, CAST(reason AS TEXT), CAST(entries AS INTEGER) FROM reason WHERE task = :task AND entries > 0 ORDER BY entries DESC;

-- name: tasks
-- :after, :limit -> names of tasks
SELECT name FROM task WHERE name > :after AND typeof(name) = 'text' ORDER BY name LIMIT :limit;

-- name: unfinished
-- :after, :limit -> names of tasks that have something pending
SELECT name FROM task WHERE name > :after AND queued + delayed + leased > 0 ORDER BY name LIMIT :limit;

-- name: peek_queued
-- :task, :lane, :rank, :depth, :id, :limit -> entries behind that place: id, url, host, depth, rank, losses, tries, due,
-- reason, status, lane
SELECT entry.id, CAST(url AS TEXT), CAST(host.name AS TEXT), CAST(depth AS INTEGER), CAST(rank AS INTEGER),
    CAST(losses AS INTEGER), CAST(tries AS INTEGER), CAST(due AS REAL), CAST(reason AS TEXT), CAST(status AS INTEGER), lane.id
FROM lane JOIN entry INDEXED BY entry_queued ON entry.lane = lane.id JOIN host ON host.id = lane.host
WHERE lane.task = :task AND lane.id >= :lane AND entry.state = 0
    AND typeof(rank) = 'integer' AND typeof(depth) = 'integer'
    AND (entry.lane, rank, depth, entry.id) > (:lane, :rank, :depth, :id)
ORDER BY lane.id, rank, depth, entry.id LIMIT :limit;

-- name: peek_due
-- :task, :state (1 or 2), :id, :limit -> as peek_queued, entries of that state behind that id
SELECT entry.id, CAST(url AS TEXT), CAST(host.name AS TEXT), CAST(depth AS INTEGER), CAST(rank AS INTEGER),
    CAST(losses AS INTEGER), CAST(tries AS INTEGER), CAST(due AS REAL), CAST(reason AS TEXT), CAST(status AS INTEGER), lane.id
FROM entry INDEXED BY entry_due JOIN lane ON lane.id = entry.lane JOIN host ON host.id = lane.host
WHERE entry.state IN (1, 2) AND entry.state = :state AND lane.task = :task AND entry.id > :id
ORDER BY entry.id LIMIT :limit;

-- name: peek_apart
-- :task, :state (3 or 4), :id, :limit -> the same
SELECT entry.id, CAST(url AS TEXT), CAST(host.name AS TEXT), CAST(depth AS INTEGER), CAST(rank AS INTEGER),
    CAST(losses AS INTEGER), CAST(tries AS INTEGER), CAST(due AS REAL), CAST(reason AS TEXT), CAST(status AS INTEGER), lane.id
FROM entry INDEXED BY entry_apart JOIN lane ON lane.id = entry.lane JOIN host ON host.id = lane.host
WHERE entry.state IN (3, 4) AND entry.state = :state AND lane.task = :task AND entry.id > :id
ORDER BY entry.id LIMIT :limit;

-- name: dead_letter
-- id, task -> lane, task, host, reason
SELECT lane.id, lane.task, lane.host, CAST(reason AS TEXT) FROM entry JOIN lane ON lane.id = entry.lane
WHERE entry.id = ? AND entry.state = 3 AND lane.task = ?;

-- name: revive
-- id -> nothing
UPDATE entry SET state = 0, losses = 0, tries = 0, begun = 0, reason = NULL, status = NULL WHERE id = ?;

-- name: hide_records
-- id -> nothing: of a dead letter that is replayed
DELETE FROM record WHERE page = (SELECT page FROM entry WHERE id = ?);

-- name: hide_page
-- id -> nothing. The row stays until the next one: numbers of pages only rise.
UPDATE page SET body = NULL, reason = NULL WHERE id = (SELECT page FROM entry WHERE id = ?);

-- name: give_up_page
-- id -> nothing: of a dead letter that is purged
UPDATE page SET outcome = 'skipped', reason = 'purged' WHERE id = (SELECT page FROM entry WHERE id = ?);

-- name: give_up
-- ended, id -> nothing: the page of a purged dead letter of which nothing was kept
INSERT INTO page (task, url, outcome, reason, status, depth, ended)
SELECT lane.task, CAST(url AS TEXT), 'skipped', 'purged', CAST(status AS INTEGER), CAST(depth AS INTEGER), ?
FROM entry JOIN lane ON lane.id = entry.lane WHERE entry.id = ? AND entry.page IS NULL;

-- name: results
-- :task, :after, :limit -> pages of which something was kept: number, depth, body
SELECT id, depth, body FROM page WHERE task = :task AND id > :after AND body IS NOT NULL ORDER BY id LIMIT :limit;

-- name: records
-- page -> its records
SELECT body FROM record WHERE page = ? ORDER BY ordinal;

-- name: pending_of
-- :task -> how many of its entries are leased, how many queued or delayed
SELECT leased, queued + delayed FROM task WHERE id = :task;

-- name: forget_task
-- :task -> nothing. It is known no more; what it had stands where it stood.
DELETE FROM task WHERE id = :task;

-- name: forgotten
-- :task -> nothing
INSERT INTO forgotten (task) VALUES (:task);

-- name: forget_notes
-- -> nothing. With the last task all goes that its spider had to know.
DELETE FROM note WHERE name > '' AND NOT EXISTS (SELECT 1 FROM task WHERE id > 0);

-- name: forget_options
-- :name -> nothing
DELETE FROM note WHERE name = 'options:' || :name;

-- name: first_forgotten
-- -> a task of which rows are to be deleted
SELECT task FROM forgotten WHERE task > 0 ORDER BY task LIMIT 1;

-- name: forget_records
-- :task, :limit -> nothing. Records of its first pages.
DELETE FROM record WHERE page IN (SELECT id FROM page WHERE task = :task ORDER BY id LIMIT :limit);

-- name: forget_pages
-- :task, :limit -> nothing. Its first pages, but for the last one of the file: numbers of pages only rise.
DELETE FROM page WHERE id < (SELECT max(id) FROM page)
    AND id IN (SELECT id FROM page WHERE task = :task ORDER BY id LIMIT :limit);

-- name: forget_last_page
-- :task -> nothing. What is left of a page that is the last one of the file; one that was so before goes.
DELETE FROM page WHERE task = 0 AND EXISTS (SELECT 1 FROM page WHERE task = :task);

-- name: blank_last_page
-- :task -> nothing
UPDATE page SET task = 0, url = '', outcome = 'forgotten', reason = NULL, status = NULL, body = NULL WHERE task = :task;

-- name: forget_seen
-- :task, :limit -> nothing. The lowest fingerprints.
DELETE FROM seen WHERE task = :task AND fingerprint <= (
    SELECT max(fingerprint) FROM (SELECT fingerprint FROM seen WHERE task = :task ORDER BY fingerprint LIMIT :limit));

-- name: forget_dead
-- :task, :limit -> nothing. Dead letters are all that it has left there.
DELETE FROM entry WHERE id IN (
    SELECT entry.id FROM entry INDEXED BY entry_apart JOIN lane ON lane.id = entry.lane
    WHERE entry.state IN (3, 4) AND entry.state = 3 AND lane.task = :task LIMIT :limit);

-- name: forget_lanes
-- :task, :limit -> nothing
DELETE FROM lane WHERE id IN (SELECT id FROM lane WHERE task = :task LIMIT :limit);

-- name: forget_reasons
-- :task -> nothing
DELETE FROM reason WHERE task = :task;

-- name: reserve_id
-- :task -> nothing. No other task gets its id.
UPDATE counter SET value = max(value, :task) WHERE name = 'task';

-- name: forgot
-- :task -> nothing
DELETE FROM forgotten WHERE task = :task;
