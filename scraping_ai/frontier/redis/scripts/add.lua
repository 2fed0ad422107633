-- include: state, once, lanes, seen, adding, sweep
-- Mark addresses seen and queue the new ones.
-- ARGV: client, call, task, links (see parts/adding.lua).
-- Result: a digit for each link, 1 if it was new. Error NOTASK for a task that was not started.

local said = answered()
if said then return said end
local tid = find_task(ARGV[3])
if not tid then return redis.error_reply('NOTASK ' .. ARGV[3]) end
local flags = take_in(tid, 4, (#ARGV - 3) / LINK)
sweep_if_exhausted(tid)
write_counts()
return answer(flags)
