-- Take seeds out of where they are put by others: those that were taken by a worker which is gone, then new ones.
-- KEYS: where they are put, where they stand while they are taken (a sorted set by the time when a worker counts as gone).
-- ARGV: list, set or zset; how many; seconds until this worker counts as gone.
-- Result: seeds, each behind a number of its own and a colon.

local clock = redis.call('TIME')
local now, wanted = clock[1] + clock[2] / 1e6, tonumber(ARGV[2])
local gone = now + ARGV[3]
local taken = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, wanted)
for _, seed in ipairs(taken) do redis.call('ZADD', KEYS[2], gone, seed) end
wanted = wanted - #taken
if wanted == 0 then return taken end

local new
if ARGV[1] == 'list' then
    new = redis.call('LRANGE', KEYS[1], 0, wanted - 1)
    redis.call('LTRIM', KEYS[1], #new, -1)
elseif ARGV[1] == 'set' then
    new = redis.call('SPOP', KEYS[1], wanted)
else
    new = redis.call('ZREVRANGE', KEYS[1], 0, wanted - 1)
    redis.call('ZREMRANGEBYRANK', KEYS[1], -wanted, -1)
end
for i, seed in ipairs(new) do
    taken[#taken + 1] = string.format('%d.%06d.%d:', clock[1], clock[2], i) .. seed
    redis.call('ZADD', KEYS[2], gone, taken[#taken])
end
return taken
