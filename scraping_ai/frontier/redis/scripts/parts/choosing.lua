-- Which entries are leased next: hosts take turns, and on a host its lanes do, by weight.

local LANES = 64 -- of a host are looked at in one turn
local LOOKS = 500 -- hosts beyond those asked for that are looked at in one call
local SUSPECTS_LOOKED_AT = 16
local RESUMED = 1000 -- hosts in one call

local spans, leases = {}, {} -- what is handed out: "task:first token:how many"; name, token, record

local function hold(tid, host, popped, token, until_)
    local held, terms, n, name = {}, {}, #popped, task(tid).name
    if n == 0 then return token end
    local number, prefix, at = tonumber(tid), tid .. ':', #leases
    spans[#spans + 1] = prefix .. text(token) .. ':' .. n / 2
    for i = 1, n, 2 do
        local record = struct.pack(RECORD .. 'c0', number, tonumber(popped[i + 1]), #host, host, popped[i])
        local id = text(token)
        held[i], held[i + 1] = id, record
        terms[i], terms[i + 1] = until_, prefix .. id
        leases[at + 1], leases[at + 2], leases[at + 3] = name, id, record
        token, at = token + 1, at + 3
    end
    redis.call('HSET', leased_key(tid), unpack(held))
    redis.call('ZADD', P .. ':expiry', unpack(terms))
    redis.call('HINCRBY', host_key(host), 'leased', n / 2)
    redis.call('HINCRBY', host_key(host), tid .. ':leased', n / 2)
    return token
end

-- Without what nobody of ours can have queued: that is dead.
local function without_forged(tid, popped)
    local fit = {}
    for i = 1, #popped, 2 do
        if #popped[i] >= ENTRY_HEAD and #popped[i] <= LONGEST then
            fit[#fit + 1], fit[#fit + 2] = popped[i], popped[i + 1]
        else
            quarantine(popped[i])
            move(tid, 'queued', 'dead', 1)
            give_reason(tid, 'dead', 'not an entry', 1)
        end
    end
    return fit
end

-- A lane that n entries were granted to.
local function take(lane, host, token, until_)
    local popped = redis.call('ZPOPMIN', queue_key(lane.tid, host), lane.n)
    local fit = without_forged(lane.tid, popped)
    move(lane.tid, 'queued', 'leased', #fit / 2)
    redis.call('HSET', host_key(host), lane.tid .. ':spent', lane.spent, lane.tid .. ':queued', lane.queued - lane.n)
    if lane.queued == lane.n then
        close_lane(lane.tid, host)
    else
        redis.call('ZADD', lanes_key(host), lane.spent, lane.tid)
    end
    return hold(lane.tid, host, fit, token, until_)
end

-- How many entries a lane may give: none if it is put away until there is room, or for good.
local function room_of(tid, host)
    local t = task(tid)
    local f = redis.call('HMGET', host_key(host), tid .. ':queued', tid .. ':leased', tid .. ':stored')
    local queued, leased, stored = redis.call('ZCARD', queue_key(tid, host)), tonumber(f[2]) or 0, tonumber(f[3]) or 0
    local known = tonumber(f[1]) or queued
    if queued ~= known then
        redis.call('HINCRBY', host_key(host), tid .. ':queued', queued - known)
        drift(tid, 'queued', queued - known)
    end
    local left = (t.max_pages or math.huge) - t.stored - t.leased
    local left_here = (t.max_host_pages or math.huge) - stored - leased
    if queued == 0 then
        close_lane(tid, host)
    elseif left_here <= 0 and leased == 0 then
        skip_if_full(tid, host)
    elseif left_here <= 0 then
        redis.call('HSET', host_key(host), tid .. ':waits', 1)
        redis.call('ZREM', lanes_key(host), tid)
    elseif left <= 0 then
        redis.call('SADD', P .. ':aside:' .. tid, host)
        redis.call('ZREM', lanes_key(host), tid)
        return 0, queued
    else
        return math.min(queued, left, left_here), queued
    end
    if t.max_pages and left > 0 then call_aside(tid) end
    return 0, queued
end

-- The lanes of a host that may give entries, the one that has had least first.
local function ready_lanes(host)
    local lanes = {}
    local found = redis.call('ZRANGE', lanes_key(host), 0, LANES - 1, 'WITHSCORES')
    for i = 1, #found, 2 do
        local room, queued = room_of(found[i], host)
        if room > 0 then
            lanes[#lanes + 1] = { tid = found[i], spent = tonumber(found[i + 1]), room = room, queued = queued, n = 0,
                step = 1 / task(found[i]).weight }
        end
    end
    return lanes
end

-- Grant n entries in turns by weight (start-time fair queueing, Goyal et al. 1996).
local function grant(lanes, n)
    if #lanes == 1 then
        local lane = lanes[1]
        lane.n = math.min(n, lane.room)
        lane.spent = lane.spent + lane.n * lane.step
        return
    end
    for _ = 1, n do
        local first
        for _, lane in ipairs(lanes) do
            if lane.n < lane.room and (not first or lane.spent < first.spent) then first = lane end
        end
        if not first then return end
        first.n, first.spent = first.n + 1, first.spent + first.step
    end
end

-- A host's turn: the next token after those that it was given.
local function visit(host, turn, n, per_host, token, until_)
    local leased = tonumber(redis.call('HGET', host_key(host), 'leased')) or 0
    if leased >= per_host then
        redis.call('ZREM', P .. ':open', host)
        redis.call('ZADD', P .. ':full', leased, host)
        return token
    end
    redis.call('ZADD', P .. ':open', turn, host)
    redis.call('HSET', host_key(host), 'turn', turn)
    local lanes = ready_lanes(host)
    grant(lanes, math.min(n, per_host - leased))
    for _, lane in ipairs(lanes) do
        if lane.n > 0 then token = take(lane, host, token, until_) end
    end
    close_host_if_idle(host)
    return token
end

-- Whether a suspect may be leased now.
local function may_be_leased(tid, host, per_host)
    local t = task(tid)
    local f = redis.call('HMGET', host_key(host), 'leased', tid .. ':leased', tid .. ':stored')
    local on_host, taken = tonumber(f[1]) or 0, (tonumber(f[2]) or 0) + (tonumber(f[3]) or 0)
    return on_host < per_host and taken < (t.max_host_pages or math.huge)
        and t.stored + t.leased < (t.max_pages or math.huge)
end

-- Whether an entry that has cost workers could be leased, alone.
local function lease_suspect(per_host, token, until_)
    for _, record in ipairs(redis.call('ZRANGE', SUSPECTS, 0, SUSPECTS_LOOKED_AT - 1)) do
        local tid, host, score, entry = read_record(record)
        if not tid then
            redis.call('ZREM', SUSPECTS, record)
        elseif may_be_leased(tid, host, per_host) and not redis.call('ZSCORE', PAUSED, host) then
            take_apart(tid, host, SUSPECTS, record, 'queued')
            move(tid, 'queued', 'leased', 1)
            hold(tid, host, { entry, score }, token, until_)
            return true
        end
    end
    return false
end

-- Hosts that were left alone for having `leases of one host at most`: for this caller they may have fewer.
local function reopen(per_host, n)
    for _, host in ipairs(redis.call('ZRANGEBYSCORE', P .. ':full', '-inf', '(' .. per_host, 'LIMIT', 0, n)) do
        redis.call('ZREM', P .. ':full', host)
        open_host(host)
    end
end

-- Hosts whose pause is over.
local function resume()
    for _, host in ipairs(redis.call('ZRANGEBYSCORE', PAUSED, '-inf', now, 'LIMIT', 0, RESUMED)) do
        redis.call('ZREM', PAUSED, host)
        if redis.call('EXISTS', lanes_key(host)) == 1 then open_host(host) end
    end
end

local function choose(n, per_host, until_)
    local token = new_numbers('token', n)
    resume()
    if lease_suspect(per_host, token, until_) then return spans, leases end
    reopen(per_host, n)
    local last, looks = token + n, 0
    while token < last and looks < n + LOOKS do
        local hosts = redis.call('ZRANGE', P .. ':open', 0, last - token - 1)
        local turn = redis.call('HINCRBY', P .. ':counters', 'turn', #hosts)
        for i, host in ipairs(hosts) do
            local share = math.ceil((last - token) / (#hosts - i + 1))
            if share > 0 then token = visit(host, turn - #hosts + i, share, per_host, token, until_) end
        end
        if #hosts == 0 then break end
        looks = looks + #hosts
    end
    return spans, leases
end
