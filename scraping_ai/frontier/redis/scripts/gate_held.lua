-- include: state
-- Which gates are held, for those who send to hosts without an interval and ask for none of them.
-- ARGV: how many holds there were at the last look ("" for the first), gates at most.
-- Result: how many there were until now; if that is another number, a list of gates and the seconds that are left as texts,
-- those that last longest first.

local holds = redis.call('GET', P .. ':holds') or '0'
if holds == ARGV[1] then return { holds, {} } end
pass_when_full()
redis.call('ZREMRANGEBYSCORE', P .. ':held', '-inf', now)
local found = redis.call('ZREVRANGE', P .. ':held', 0, ARGV[2] - 1, 'WITHSCORES')
for i = 2, #found, 2 do found[i] = string.format('%.3f', found[i] - now) end
return { holds, found }
