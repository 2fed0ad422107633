-- name: start_task
-- :name, :max_pages, :max_host_pages, :weight -> nothing
INSERT INTO task (name, max_pages, max_host_pages, weight) VALUES (:name, :max_pages, :max_host_pages, :weight)
ON CONFLICT (name) DO UPDATE SET
    max_pages = excluded.max_pages, max_host_pages = excluded.max_host_pages, weight = excluded.weight;

-- name: find_task
-- :name -> id
SELECT id FROM task WHERE name = :name;

-- name: mark_seen
-- :task, :fingerprints (a JSON array of integers) -> those that were new
INSERT OR IGNORE INTO seen (task, fingerprint) SELECT :task, value FROM json_each(:fingerprints) WHERE true
RETURNING fingerprint;

-- name: add_host
-- :host -> nothing. A new host comes before all that have had a turn.
INSERT OR IGNORE INTO host (name) VALUES (:host);

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
-- :state, :now, :limit -> entries of that state whose time has come
SELECT entry.id, entry.lane, lane.task, lane.host, entry.losses, entry.begun
FROM entry JOIN lane ON lane.id = entry.lane WHERE entry.state = :state AND entry.due <= :now LIMIT :limit;

-- name: back
-- state, losses, id -> nothing
UPDATE entry SET state = ?, losses = ?, due = NULL, begun = 0, token = 0 WHERE id = ?;

-- name: open_hosts
-- :per_host, :limit -> hosts that have queued entries, those whose turn it is first
SELECT id, name, leased FROM host WHERE queued > 0 AND leased < :per_host ORDER BY turn, id LIMIT :limit;

-- name: open_lanes
-- :host -> a host's lanes with what their tasks have and may have, the one that has had least first
SELECT lane.id, task.id, task.name, task.weight, lane.spent, lane.queued, lane.taken, task.max_host_pages,
    task.stored + task.leased, task.max_pages
FROM lane JOIN task ON task.id = lane.task WHERE lane.host = :host AND lane.queued > 0
ORDER BY lane.spent, lane.id LIMIT 64;

-- name: first_queued
-- :lane, :limit -> its entries in their order
SELECT id, url, depth, rank, request, losses, tries FROM entry INDEXED BY entry_queued
WHERE lane = :lane AND state = 0 ORDER BY rank, depth, id LIMIT :limit;

-- name: first_suspect
-- -> an entry that is to be leased alone
SELECT entry.id, url, depth, rank, request, losses, tries, lane.id, lane.task, lane.host, host.name, task.name
FROM entry JOIN lane ON lane.id = entry.lane JOIN host ON host.id = lane.host JOIN task ON task.id = lane.task
WHERE entry.state = 4 ORDER BY entry.id LIMIT 1;

-- name: take
-- token, due, id -> nothing
UPDATE entry SET state = 2, token = ?, due = ?, begun = 0 WHERE id = ?;

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
-- reason, status, id -> nothing
UPDATE entry SET state = 3, due = NULL, token = 0, reason = ?, status = ? WHERE id = ?;

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
-- queued, queued, taken, id -> nothing. A lane that was idle has saved up nothing: it starts where the others stand.
UPDATE lane SET
    spent = CASE WHEN queued = 0 AND ? > 0 THEN
        max(spent, coalesce((SELECT min(o.spent) FROM lane AS o WHERE o.host = lane.host AND o.queued > 0), spent))
        ELSE spent END,
    queued = queued + ?, taken = taken + ? WHERE id = ?;

-- name: tally_host
-- queued, leased, id -> nothing
UPDATE host SET queued = queued + ?, leased = leased + ? WHERE id = ?;

-- name: exhausted_tasks
-- -> tasks that may take no more pages, and work on none
SELECT id FROM task WHERE stored >= max_pages AND leased = 0 AND queued + delayed > 0;

-- name: exhausted_lanes
-- -> lane, task, host: lanes that may take no more, and on which nobody works
SELECT lane.id, lane.task, lane.host FROM task JOIN lane ON lane.task = task.id
WHERE task.max_host_pages IS NOT NULL AND lane.queued > 0 AND lane.taken >= task.max_host_pages
    AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.lane = lane.id AND state = 2);

-- name: remove_open
-- :lane -> state of each entry removed: all of a lane that have not ended
DELETE FROM entry WHERE lane = :lane AND state <> 3 RETURNING state;

-- name: lanes_of
-- :task -> lane, host
SELECT id, host FROM lane WHERE task = :task;

-- name: counts
-- :name -> one row
SELECT added, duplicates, stored, skipped, dead, queued, delayed, leased, id FROM task WHERE name = :name;

-- name: reasons
-- :task -> outcome, reason, entries
SELECT outcome, reason, entries FROM reason WHERE task = :task ORDER BY entries DESC;

-- name: pages
-- :task, :after -> pages with an outcome in the order in which they ended, from the one after that id
SELECT id, url, outcome, reason, status, depth, body FROM page WHERE task = :task AND id > :after ORDER BY id;

-- name: records
-- page -> its records
SELECT body FROM record WHERE page = ? ORDER BY ordinal;
