-- include: state, gates
-- An origin wants an interval from everybody, for a while.
-- ARGV: gate, origin, interval (0 for none), for how long; origins of one gate whose wishes are kept. Result: nothing.

pass_when_full()
local key, origin, interval = asked_key(ARGV[1]), ARGV[2], tonumber(ARGV[3])
redis.call('HDEL', key, origin)
if interval > 0 then redis.call('HSET', key, origin, ARGV[3] .. ' ' .. string.format('%.3f', now + ARGV[4])) end
redis.call('EXPIRE', key, DAY + math.ceil(ARGV[4]))
if redis.call('HLEN', key) > tonumber(ARGV[5]) then -- the smallest goes
    local smallest, least = nil, math.huge
    local wishes = redis.call('HGETALL', key)
    for i = 1, #wishes, 2 do
        local seconds = tonumber(string.match(wishes[i + 1], '^%S+'))
        if seconds < least then smallest, least = wishes[i], seconds end
    end
    redis.call('HDEL', key, smallest)
end
