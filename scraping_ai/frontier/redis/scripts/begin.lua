-- include: state
-- Note that work on leases has begun.
-- ARGV: task and token of each lease.
-- Result: nothing. What is no longer held is passed over.

pass_when_full()
for i = 1, #ARGV, 2 do
    local tid = find_task(ARGV[i])
    if tid and redis.call('HEXISTS', leased_key(tid), ARGV[i + 1]) == 1 then
        redis.call('SADD', P .. ':begun', ARGV[i + 1])
    end
end
