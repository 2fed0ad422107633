-- Skipping all of a task that has not ended, in steps: a task may have entries on very many hosts. `closing` holds the
-- tasks that are being swept, with the reason; whoever leases goes on with a sweep that its caller left. Of a task that was
-- forgotten all else is deleted then.

local STEP = 1000 -- hosts, or buckets of seen addresses
local FORGOTTEN = 'forgotten'

local PAGES = 'max_pages reached'

-- Leases are held no longer: how many they were.
local function skip_leased(tid)
    local leases = redis.call('HGETALL', leased_key(tid))
    redis.call('UNLINK', leased_key(tid))
    for i = 1, #leases, 2 do
        redis.call('ZREM', P .. ':expiry', tid .. ':' .. leases[i])
        redis.call('SREM', P .. ':begun', leases[i])
        move(tid, 'leased', 'skipped', 1)
        local owner, host = read_record(leases[i + 1])
        if owner == tid then leave(tid, host, 1, 0) end
    end
    return #leases / 2
end

-- What is pending of a task beside its queues.
local function sweep_rest(tid, reason)
    redis.call('DEL', P .. ':aside:' .. tid)
    local skipped = skip_apart(tid, nil, delayed_key(tid), 'delayed') + skip_apart(tid, nil, SUSPECTS, 'queued')
    redis.call('ZREM', P .. ':due', tid)
    skipped = skipped + skip_leased(tid)
    give_reason(tid, 'skipped', reason, skipped)
    if redis.call('EXISTS', dead_key(tid)) == 0 then redis.call('DEL', P .. ':claims:' .. tid) end
    return skipped
end

local OF_LANE = { ':queued', ':leased', ':stored', ':spent', ':waits', ':apart' } -- in host:H

local function forget_host(tid, host)
    for _, field in ipairs(OF_LANE) do redis.call('HDEL', host_key(host), tid .. field) end
    local left = redis.call('HMGET', host_key(host), 'leased', 'turn')
    local fields = (left[1] and 1 or 0) + (left[2] and 1 or 0)
    if redis.call('HLEN', host_key(host)) == fields and (tonumber(left[1]) or 0) == 0 then
        redis.call('DEL', host_key(host)) -- no task has anything there
    end
end

-- A step of deleting what is left of a task: whether it was the last one.
local function forget(tid)
    local hosts = redis.call('SPOP', P .. ':visited:' .. tid, STEP)
    for _, host in ipairs(hosts) do forget_host(tid, host) end
    local last = task(tid).splits -- bucket
    local first = math.max(last - STEP + 1, 0)
    for bucket = first, last do redis.call('UNLINK', P .. ':seen:' .. tid .. ':' .. text(bucket)) end
    if #hosts == STEP or first > 0 then
        redis.call('HSET', P .. ':task:' .. tid, 'splits', math.max(first - 1, 0))
        return false
    end
    for _, kind in ipairs({ 'task', 'reasons', 'leased', 'delayed', 'dead', 'claims', 'results', 'former', 'hosts', 'aside' }) do
        redis.call('UNLINK', P .. ':' .. kind .. ':' .. tid)
    end
    tasks[tid] = nil -- nothing is to be counted
    return true
end

-- One step: how many entries were skipped.
local function sweep(tid, reason)
    local skipped = 0
    for _, host in ipairs(redis.call('ZRANGE', P .. ':hosts:' .. tid, 0, STEP - 1)) do
        skipped = skipped + skip_lane(tid, host, reason)
    end
    if redis.call('EXISTS', P .. ':hosts:' .. tid) == 1 then
        redis.call('HSET', P .. ':closing', tid, reason)
    else
        skipped = skipped + sweep_rest(tid, reason)
        if reason == FORGOTTEN and not forget(tid) then
            redis.call('HSET', P .. ':closing', tid, reason)
        else
            redis.call('HDEL', P .. ':closing', tid)
        end
    end
    return skipped
end

local function is_exhausted(tid)
    local t = task(tid)
    return t.max_pages and t.stored >= t.max_pages and t.leased == 0
end

-- Skip what is left of a task that has all the pages it may have, and works on none.
local function sweep_if_exhausted(tid)
    if is_exhausted(tid) and task(tid).queued + task(tid).delayed > 0 then sweep(tid, PAGES) end
end

-- Another step of each sweep that was begun: how many entries were skipped.
local function go_on_sweeping()
    local skipped = 0
    local closing = redis.call('HGETALL', P .. ':closing')
    for i = 1, #closing, 2 do
        if closing[i + 1] == PAGES and not is_exhausted(closing[i]) then -- it may have more since
            redis.call('HDEL', P .. ':closing', closing[i])
        else
            skipped = skipped + sweep(closing[i], closing[i + 1])
        end
    end
    return skipped
end
