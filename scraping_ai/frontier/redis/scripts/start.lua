-- include: state, lanes, sweep
-- Make a task known, or change what it may take.
-- ARGV: name, max_pages and max_host_pages ("" for no limit), weight, options if they are to change.
-- Result: nothing.

local tid = find_task(ARGV[1])
if not tid then
    repeat tid = text(redis.call('HINCRBY', P .. ':counters', 'task', 1)) until redis.call('EXISTS', P .. ':task:' .. tid) == 0
    redis.call('HSET', P .. ':tasks', ARGV[1], tid)
end
redis.call('ZADD', P .. ':names', 0, ARGV[1])
local former = redis.call('HGET', P .. ':task:' .. tid, 'max_host_pages') or ''
if former ~= '' then redis.call('HSET', P .. ':task:' .. tid, 'had_host_limit', 1) end -- lanes may wait for its room
redis.call('HSET', P .. ':task:' .. tid, 'name', ARGV[1], 'max_pages', ARGV[2], 'max_host_pages', ARGV[3],
    'weight', ARGV[4])
if ARGV[5] then redis.call('HSET', P .. ':task:' .. tid, 'options', ARGV[5]) end
tasks[tid] = nil
local t = task(tid)
local room = (t.max_pages or math.huge) - t.stored - t.leased
for _ = 1, math.min(room, redis.call('SCARD', P .. ':aside:' .. tid)) do call_aside(tid) end
if ARGV[3] ~= '' and ARGV[3] ~= former then -- what is queued is looked at when it is its turn to be leased
    skip_apart_full(tid, function(host) return (is_lane_full(tid, host)) end)
end
sweep_if_exhausted(tid)
write_counts()
