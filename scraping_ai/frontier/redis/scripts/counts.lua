-- include: state
-- How many entries of a task are where.
-- ARGV: task, names of counters.
-- Result: the counters in that order; outcome:reason and number of each reason. Nothing for a task that is not known.

local tid = find_task(ARGV[1])
if not tid then return { {}, {} } end
return { redis.call('HMGET', P .. ':task:' .. tid, unpack(ARGV, 2)), redis.call('HGETALL', P .. ':reasons:' .. tid) }
