-- include: state, lanes
-- Lease nothing of hosts for a while.
-- ARGV: host and seconds of each. Result: nothing.

pass_when_full()
for i = 1, #ARGV, 2 do
    local host, until_ = ARGV[i], now + tonumber(ARGV[i + 1])
    if until_ > (tonumber(redis.call('ZSCORE', PAUSED, host)) or 0) then redis.call('ZADD', PAUSED, until_, host) end
    redis.call('ZREM', P .. ':open', host)
    redis.call('ZREM', P .. ':full', host)
end
