-- Entries that come back by themselves: retries that are due, and leases that nobody renewed.

local AT_ONCE = 1000 -- of each in one call

local function requeue_due_of(tid)
    local delayed = delayed_key(tid)
    for _, record in ipairs(redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, AT_ONCE)) do
        local owner, host, score, entry = read_record(record)
        if owner ~= tid then
            redis.call('ZREM', delayed, record)
        elseif take_apart(tid, host, delayed, record, 'delayed') then
            put_back(tid, host, score, entry)
            move(tid, 'delayed', 'queued', 1)
        end
    end
    local first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
    if first[2] then redis.call('ZADD', P .. ':due', first[2], tid) else redis.call('ZREM', P .. ':due', tid) end
end

local function requeue_due()
    for _, tid in ipairs(redis.call('ZRANGEBYSCORE', P .. ':due', '-inf', now, 'LIMIT', 0, 16)) do
        requeue_due_of(tid)
    end
end

-- A lease is lost: only where work had begun does that count against the entry.
local function lose(tid, token, max_losses)
    local record = redis.call('HGET', leased_key(tid), token)
    local begun = redis.call('SREM', P .. ':begun', token)
    if not record then return end
    redis.call('HDEL', leased_key(tid), token)
    local owner, host, score, entry = read_record(record)
    if owner ~= tid then
        move(tid, 'leased', 'dead', 1)
        give_reason(tid, 'dead', 'not an entry', 1)
        return
    end
    entry = reworked(entry, begun, 0)
    local losses = losses_of(entry)
    if losses >= max_losses then
        local reason = 'cost ' .. losses .. ' workers'
        bury(pack_record(tid, host, score, entry), tid, reason, reason, 0)
        move(tid, 'leased', 'dead', 1)
    else
        put_back(tid, host, score, entry)
        move(tid, 'leased', 'queued', 1)
    end
    leave(tid, host, 1, 0)
    sweep_if_exhausted(tid)
end

-- Nobody who works here renews less often than this: if nobody did for a whole term, it was the server that was away, and
-- whoever held a lease then has another term to say so.
local function is_after_a_gap(term)
    local last = tonumber(redis.call('HGET', P .. ':counters', 'beat')) or now
    local grace = tonumber(redis.call('HGET', P .. ':counters', 'grace')) or 0
    if now - last > term then
        grace = now + term
        redis.call('HSET', P .. ':counters', 'grace', grace)
    end
    return now < grace
end

local function reclaim(max_losses, term)
    if is_after_a_gap(term) then return end
    local agreed = {}
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', P .. ':expiry', '-inf', now, 'LIMIT', 0, AT_ONCE)) do
        redis.call('ZREM', P .. ':expiry', name)
        local tid, token = string.match(name, '^(%d+):(.*)$')
        if tid and not agreed[tid] then
            drift(tid, 'leased', redis.call('HLEN', leased_key(tid)) - task(tid).leased)
            agreed[tid] = true
        end
        if tid then lose(tid, token, max_losses) end
    end
end
