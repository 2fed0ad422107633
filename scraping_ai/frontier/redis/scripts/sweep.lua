-- include: state, once, lanes, sweep
-- Another step of the sweeps that were begun.
-- ARGV: client, call.
-- Result: entries skipped by this step, sweeps that are left.

local said = answered()
if said then return { tonumber(said), redis.call('HLEN', P .. ':closing') } end
pass_when_full()
local skipped = go_on_sweeping()
write_counts()
answer(text(skipped))
return { skipped, redis.call('HLEN', P .. ':closing') }
