-- include: state
-- Hold leases for another term.
-- ARGV: seconds of a lease, then task and token of each lease.
-- Result: a digit for each lease, 0 if it is no longer held.

pass_when_full()
redis.call('HSET', P .. ':counters', 'beat', now)
local flags = {}
for i = 2, #ARGV, 2 do
    local tid = find_task(ARGV[i])
    local held = tid and redis.call('HEXISTS', leased_key(tid), ARGV[i + 1]) == 1
    if held then redis.call('ZADD', P .. ':expiry', now + tonumber(ARGV[1]), tid .. ':' .. ARGV[i + 1]) end
    flags[#flags + 1] = held and '1' or '0'
end
return table.concat(flags)
