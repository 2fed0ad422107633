-- name: note
-- :name -> its value
SELECT value FROM note WHERE name = :name;

-- name: put_note
-- :name, :value -> nothing
INSERT INTO note (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: pages
-- What is read here is trusted by nobody: a file may have been edited, or be from anybody.
-- :after -> pages of which something was kept, in the order in which they ended, from the one after that id;
-- with each whether it was dead and then purged
SELECT id, depth, body, reason IS 'purged' FROM page WHERE id > :after AND body IS NOT NULL ORDER BY id;

-- name: records
-- :page -> its records
SELECT body FROM record WHERE page = :page ORDER BY ordinal;

-- name: total
-- -> pages of which something was kept, records, pages still to be had
SELECT (SELECT count(*) FROM page WHERE body IS NOT NULL), (SELECT count(*) FROM record),
    (SELECT CAST(total(queued + delayed + leased) AS INTEGER) FROM task);

-- name: passed_over
-- -> reason, pages: of those of which nothing was kept
SELECT CAST(reason AS TEXT) AS words, count(*) FROM page WHERE body IS NULL AND reason IS NOT NULL GROUP BY words;

-- name: start_pages
-- -> pages that the user named
SELECT body FROM page WHERE depth = 0 AND body IS NOT NULL;

-- name: last_page
-- -> the id of the page that ended last
SELECT coalesce(max(id), 0) FROM page;

-- name: export
-- :output -> pages, start, next
SELECT pages, start, next FROM export WHERE output = :output;

-- name: begin_export
-- :output, :start, :next -> nothing
INSERT INTO export (output, pages, start, next) VALUES (:output, 0, :start, :next)
ON CONFLICT (output) DO UPDATE SET start = excluded.start, next = excluded.next;

-- name: end_export
-- :output -> nothing
UPDATE export SET pages = next, start = NULL, next = NULL WHERE output = :output AND next IS NOT NULL;
