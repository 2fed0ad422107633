-- What somebody took out of a frontier or put into it is made good: counters follow what is there, and what no lease would
-- come upon again is to be found again. A few tasks are looked at whenever there is nothing to lease.

local MENDED, LOOKED_AT = 8, 16 -- tasks in one call, hosts and leases of each

local function agree(tid, state, there) drift(tid, state, there - task(tid)[state]) end

local function mend_leases(tid, term)
    local there = redis.call('HLEN', leased_key(tid))
    agree(tid, 'leased', there)
    for _, token in ipairs(there > 0 and redis.call('HRANDFIELD', leased_key(tid), LOOKED_AT) or {}) do
        redis.call('ZADD', P .. ':expiry', 'NX', now + term, tid .. ':' .. token)
    end
    return there
end

local function mend_delayed(tid)
    local delayed = delayed_key(tid)
    agree(tid, 'delayed', redis.call('ZCARD', delayed))
    local first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
    if first[2] then redis.call('ZADD', P .. ':due', 'NX', first[2], tid) end
end

local function mend_lane(tid, host, leased)
    local f = redis.call('HMGET', host_key(host), tid .. ':waits', tid .. ':leased')
    if leased == 0 and (tonumber(f[2]) or 0) ~= 0 then
        redis.call('HINCRBY', host_key(host), 'leased', -f[2])
        redis.call('HDEL', host_key(host), tid .. ':leased', tid .. ':waits')
        redis.call('ZREM', P .. ':full', host)
    elseif f[1] or redis.call('SISMEMBER', P .. ':aside:' .. tid, host) == 1 then
        return
    end
    open_lane(tid, host)
end

-- Whether nothing is left to be leased of any task but suspects.
local function is_empty()
    for _, name in ipairs({ 'open', 'full', 'paused' }) do
        if redis.call('EXISTS', P .. ':' .. name) == 1 then return false end
    end
    return true
end

local function suspects_of(tid)
    local n = 0
    for _, record in ipairs(redis.call('ZRANGE', SUSPECTS, 0, -1)) do
        local ok, owner = pcall(unpack_record, record)
        if ok and owner == tid then n = n + 1 end
    end
    return n
end

local function mend_task(tid, term)
    local leased = mend_leases(tid, term)
    mend_delayed(tid)
    local hosts = redis.call('ZRANDMEMBER', P .. ':hosts:' .. tid, LOOKED_AT)
    for _, host in ipairs(hosts) do mend_lane(tid, host, leased) end
    if #hosts == 0 and task(tid).queued ~= 0 and is_empty() then agree(tid, 'queued', suspects_of(tid)) end
    sweep_if_exhausted(tid)
end

local function mend(term)
    local last = redis.call('HGET', P .. ':counters', 'mended') or ''
    local from = last == '' and '-' or '(' .. last
    local names = redis.call('ZRANGEBYLEX', P .. ':names', from, '+', 'LIMIT', 0, MENDED)
    for _, name in ipairs(names) do
        local tid = find_task(name)
        if redis.call('HEXISTS', P .. ':closing', tid) == 0 then mend_task(tid, term) end
    end
    local next_ = #names == MENDED and names[MENDED] or ''
    if next_ ~= last then redis.call('HSET', P .. ':counters', 'mended', next_) end
end
