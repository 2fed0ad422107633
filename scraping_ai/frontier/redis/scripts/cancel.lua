-- include: state, once, lanes, sweep
-- Skip all that is pending of a task; its leases are held no longer.
-- ARGV: client, call, task.
-- Result: entries skipped by this step, 1 if there is more to skip (see sweep.lua). Error NOTASK for a task that was not
-- started.

local said = answered()
if said then return { tonumber(said), redis.call('HLEN', P .. ':closing') } end
local tid = find_task(ARGV[3])
if not tid then return redis.error_reply('NOTASK ' .. ARGV[3]) end
pass_when_full()
local skipped = sweep(tid, 'cancelled')
write_counts()
answer(text(skipped))
return { skipped, redis.call('HLEN', P .. ':closing') }
