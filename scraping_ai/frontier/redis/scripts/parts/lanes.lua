-- Lanes: what one task has on one host. A lane with queued entries stands in its host's `lanes` by virtual time; a host
-- with such lanes stands in `open` by its turn, or in `full` by its leases when it had as many as somebody wanted.
--
-- An entry is a member of its lane's `queue`, by minus its priority, as the bytes of: depth, number, losses, tries, JSON of
-- the address and the request. Elsewhere it is a record: task, score, length and text of the host, then the entry.

local ENTRY = '>HI8BH'
local ENTRY_HEAD = 13
local RECORD = '>I4dHc0'
local LONGEST = 8000000 -- bytes of an entry
local QUARANTINED, SHOWN = 1000, 4096 -- entries, bytes of each

local function pack_record(tid, host, score, entry)
    return struct.pack(RECORD .. 'c0', tonumber(tid), score, #host, host, entry)
end

local function unpack_record(record)
    local tid, score, host, rest = struct.unpack(RECORD, record)
    return text(tid), host, score, string.sub(record, rest)
end

-- The same entry after another loss or retry, with another payload if one is given.
local function reworked(entry, losses, tries, payload)
    local depth, number, l, t, rest = struct.unpack(ENTRY, entry)
    return struct.pack(ENTRY, depth, number, math.min(l + losses, 255), math.min(t + tries, 65535))
        .. (payload or string.sub(entry, rest))
end

-- The same entry without its losses and retries.
local function fresh(entry)
    local depth, number, _, _, rest = struct.unpack(ENTRY, entry)
    return struct.pack(ENTRY, depth, number, 0, 0) .. string.sub(entry, rest)
end

local function losses_of(entry) return string.byte(entry, 11) end

local function number_of(entry)
    local _, number = struct.unpack(ENTRY, entry)
    return number
end

-- What an entry claimed (see claim.lua) is kept while it may come again.
local function drop_claim(tid, entry)
    if task(tid).claims == nil then task(tid).claims = redis.call('EXISTS', P .. ':claims:' .. tid) end
    if task(tid).claims == 1 then redis.call('HDEL', P .. ':claims:' .. tid, text(number_of(entry))) end
end

-- Set aside what nobody of ours can have written.
local function quarantine(found)
    redis.call('LPUSH', P .. ':quarantine', string.sub(found, 1, SHOWN))
    redis.call('LTRIM', P .. ':quarantine', 0, QUARANTINED - 1)
    redis.call('HINCRBY', P .. ':counters', 'quarantined', 1)
end

-- Read a record that is to be worked on: task, host, score, entry; nothing for one that is broken, which is set aside.
local function read_record(record)
    local ok, tid, host, score, entry = pcall(unpack_record, record)
    if ok and #entry >= ENTRY_HEAD and task(tid).name ~= '' then return tid, host, score, entry end
    quarantine(record)
end

local PAUSED = P .. ':paused' -- hosts of which nothing is leased until then

local function open_host(host)
    if not redis.call('ZSCORE', P .. ':full', host) and not redis.call('ZSCORE', PAUSED, host) then
        local turn = redis.call('HGET', host_key(host), 'turn')
        if not turn then -- a new host comes after those that wait: a stream of new ones would hold them back for ever
            turn = (tonumber(redis.call('HGET', P .. ':counters', 'turn')) or 0) + 0.5
            redis.call('HSET', host_key(host), 'turn', turn)
        end
        redis.call('ZADD', P .. ':open', 'NX', turn, host)
    end
end

local function close_host_if_idle(host)
    if redis.call('EXISTS', lanes_key(host)) == 0 then
        redis.call('ZREM', P .. ':open', host)
        redis.call('ZREM', P .. ':full', host)
    end
end

-- A lane that was idle has saved up nothing: it starts where the others stand.
local function open_lane(tid, host)
    local lanes = lanes_key(host)
    if not redis.call('ZSCORE', lanes, tid) then
        local first = redis.call('ZRANGE', lanes, 0, 0, 'WITHSCORES')
        local spent = tonumber(redis.call('HGET', host_key(host), tid .. ':spent')) or 0
        redis.call('ZADD', lanes, math.max(spent, tonumber(first[2]) or 0), tid)
        redis.call('ZADD', P .. ':hosts:' .. tid, 0, host)
        redis.call('SADD', P .. ':visited:' .. tid, host)
    end
    open_host(host)
end

-- A lane with nothing queued.
local function close_lane(tid, host)
    redis.call('ZREM', lanes_key(host), tid)
    redis.call('ZREM', P .. ':hosts:' .. tid, host)
    redis.call('HDEL', host_key(host), tid .. ':queued', tid .. ':waits')
    close_host_if_idle(host)
end

local function enqueue(tid, host, score, entry)
    redis.call('ZADD', queue_key(tid, host), score, entry)
    redis.call('HINCRBY', host_key(host), tid .. ':queued', 1)
    open_lane(tid, host)
end

-- Entries of a lane that are not in its queue, but delayed or suspects, are counted as `apart`.
local function put_apart(tid, host, key, score, record)
    redis.call('ZADD', key, score, record)
    redis.call('HINCRBY', host_key(host), tid .. ':apart', 1)
end

-- Somebody else put n entries where those of a state are, or took -n out: what is there counts.
local function drift(tid, state, n)
    if n > 0 then
        count(tid, 'added', n)
        count(tid, state, n)
    elseif n < 0 then
        move(tid, state, 'dead', -n)
        give_reason(tid, 'dead', 'lost', -n)
    end
end

-- Whether the record was there; `state` is what it was counted as.
local function take_apart(tid, host, key, record, state)
    if redis.call('ZREM', key, record) == 0 then return false end
    local left = redis.call('HINCRBY', host_key(host), tid .. ':apart', -1)
    if left <= 0 then redis.call('HDEL', host_key(host), tid .. ':apart') end
    if left < 0 then drift(tid, state, 1) end
    return true
end

local function delayed_key(tid) return P .. ':delayed:' .. tid end

local SUSPECTS = P .. ':suspects'

-- Put an entry back where it is to be leased from; a suspect waits by itself. The caller counts it as queued.
local function put_back(tid, host, score, entry)
    if losses_of(entry) >= SUSPICION then
        put_apart(tid, host, SUSPECTS, new_numbers('seq', 1), pack_record(tid, host, score, entry))
    else
        enqueue(tid, host, score, entry)
    end
end

-- Skip the records in a sorted set that are of a task, where one is given of a host for which `is_meant` says so: how many.
local function skip_apart(tid, is_meant, key, state)
    local skipped, cursor = 0, '0'
    repeat
        local found = redis.call('ZSCAN', key, cursor, 'COUNT', 500)
        cursor = found[1]
        for i = 1, #found[2], 2 do
            local record = found[2][i]
            local owner, where = read_record(record)
            if not owner then
                redis.call('ZREM', key, record)
            elseif owner == tid and (not is_meant or is_meant(where)) and take_apart(tid, where, key, record, state) then
                move(tid, state, 'skipped', 1)
                skipped = skipped + 1
            end
        end
    until cursor == '0'
    return skipped
end

-- Skip all that is queued in a lane; its counter may differ from what is there when somebody else wrote to the queue.
local function skip_lane(tid, host, reason)
    local known = tonumber(redis.call('HGET', host_key(host), tid .. ':queued')) or 0
    redis.call('UNLINK', queue_key(tid, host))
    move(tid, 'queued', 'skipped', known)
    give_reason(tid, 'skipped', reason, known)
    close_lane(tid, host)
    return known
end

local HOST_FULL = 'max_pages of the host reached'

local function skip_apart_full(tid, is_full)
    local skipped = skip_apart(tid, is_full, delayed_key(tid), 'delayed') + skip_apart(tid, is_full, SUSPECTS, 'queued')
    give_reason(tid, 'skipped', HOST_FULL, skipped)
end

-- Whether a lane has had all the pages it may have, and nobody works on it; whether entries of it are apart.
local function is_lane_full(tid, host)
    local most = task(tid).max_host_pages
    if not most then return false end
    local f = redis.call('HMGET', host_key(host), tid .. ':stored', tid .. ':leased', tid .. ':apart')
    return (tonumber(f[1]) or 0) >= most and (tonumber(f[2]) or 0) <= 0, f[3]
end

-- Skip all of a lane that has had all the pages it may have, if nobody works on it.
local function skip_if_full(tid, host)
    local is_full, has_apart = is_lane_full(tid, host)
    if not is_full then return end
    skip_lane(tid, host, HOST_FULL)
    if has_apart then skip_apart_full(tid, function(where) return where == host end) end
end

-- Have the next lane leased from that waits for room under its task's max_pages.
local function call_aside(tid)
    local host = redis.call('SPOP', P .. ':aside:' .. tid)
    if host then open_lane(tid, host) end
end

-- n leases of a lane have ended, `stored` of them as stored pages.
local function leave(tid, host, n, stored)
    local t = task(tid)
    redis.call('HINCRBY', host_key(host), 'leased', -n)
    redis.call('HINCRBY', host_key(host), tid .. ':leased', -n)
    redis.call('HINCRBY', host_key(host), tid .. ':stored', stored)
    if redis.call('ZREM', P .. ':full', host) == 1 then
        open_host(host)
        close_host_if_idle(host)
    end
    if t.max_host_pages or t.had_host_limit then
        if redis.call('HDEL', host_key(host), tid .. ':waits') == 1 then open_lane(tid, host) end
        skip_if_full(tid, host)
    end
    if t.max_pages then
        for _ = 1, n - stored do call_aside(tid) end
    end
end

-- A dead letter is its record behind: when it died, HTTP status, length and text of the reason.
local DEAD = '>dI2Hc0'

local function dead_key(tid) return P .. ':dead:' .. tid end

-- Make a dead letter of a record.
local function bury(record, tid, reason, general, status)
    local _, _, _, entry = unpack_record(record)
    redis.call('ZADD', dead_key(tid), number_of(entry), struct.pack(DEAD, now, status, #reason, reason) .. record)
    give_reason(tid, 'dead', general, 1)
end

-- Reason, HTTP status and record of a dead letter; nothing for what is none.
local function read_dead(letter)
    local ok, _, status, reason, rest = pcall(struct.unpack, DEAD, letter)
    if ok then return reason, status, string.sub(letter, rest) end
end
