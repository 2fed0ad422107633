-- include: state, once, lanes, sweep
-- Make a task unknown, and begin to delete all of it (see parts/sweep.lua).
-- ARGV: client, call, task, "1" if only a task that is done is to be forgotten.
-- Result: tasks that are still to be swept. Error NOTASK for a task that was not started, LEASED for one with leases,
-- PENDING for one that is not done.

if answered() then return redis.call('HLEN', P .. ':closing') end
local tid = find_task(ARGV[3])
if not tid then return redis.error_reply('NOTASK ' .. ARGV[3]) end
if redis.call('EXISTS', leased_key(tid)) == 1 then return redis.error_reply('LEASED ' .. ARGV[3]) end
local t = task(tid)
if ARGV[4] == '1' and t.queued + t.delayed > 0 then return redis.error_reply('PENDING ' .. ARGV[3]) end
pass_when_full()
redis.call('HDEL', P .. ':tasks', ARGV[3])
redis.call('ZREM', P .. ':names', ARGV[3])
sweep(tid, FORGOTTEN)
write_counts()
answer('')
return redis.call('HLEN', P .. ':closing')
