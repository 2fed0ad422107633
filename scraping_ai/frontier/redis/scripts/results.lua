-- include: state
-- What was kept of pages of a task, in the order in which they ended.
-- ARGV: task, the number that they come after, how many at most.
-- Result: members and scores as parts/results.lua has them. Error NOTASK for a task that was not started.

local tid = find_task(ARGV[1])
if not tid then return redis.error_reply('NOTASK ' .. ARGV[1]) end
-- Scores between two numbers are not ours: they would come again and again.
return redis.call('ZRANGEBYSCORE', P .. ':results:' .. tid, ARGV[2] + 1, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
