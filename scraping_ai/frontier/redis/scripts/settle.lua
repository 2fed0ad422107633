-- include: state, once, lanes, seen, adding, results, sweep
-- End leases, each together with its links.
-- ARGV: client, call, how many bring links or results, then of each ending: task, token, kind (stored, skipped, dead, retry, released, or
-- forged for what could not be read), reason, its general part, HTTP status (0 for none), seconds until a retry,
-- payload of the retry ("" for the same), result ("" for none, see parts/results.lua), number of links, links (see
-- parts/adding.lua).
-- Result: a digit for each ending, 0 for a lease that is no longer held; tasks that are still to be swept.

local ENDING = 10
local gone, ended = {}, {} -- tokens by task; leases by task and host

local function note_end(tid, host, token, stored)
    local tokens = gone[tid] or {}
    gone[tid] = tokens
    tokens[#tokens + 1] = token
    local hosts = ended[tid] or {}
    ended[tid] = hosts
    local n = hosts[host] or { all = 0, stored = 0 }
    hosts[host] = n
    n.all, n.stored = n.all + 1, n.stored + (stored and 1 or 0)
end

local function delay(tid, host, score, entry, after, payload)
    local due = now + after
    local record = pack_record(tid, host, score, reworked(entry, 0, 1, payload ~= '' and payload or nil))
    put_apart(tid, host, delayed_key(tid), due, record)
    local first = redis.call('ZSCORE', P .. ':due', tid)
    if not first or due < tonumber(first) then redis.call('ZADD', P .. ':due', due, tid) end
end

local numbers -- the next one of a result

local function keep(tid, result, left)
    numbers = numbers or new_numbers('result', left)
    keep_result(tid, numbers, result)
    numbers = numbers + 1
    return numbers - 1
end

-- `left`: how many endings are still to be looked at, this one among them.
local function settle(tid, record, at, left)
    local kind, reason, general, result = ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 8]
    local owner, host, score, entry = read_record(record)
    if not owner then
        give_reason(tid, 'dead', 'not an entry', 1)
        move(tid, 'leased', 'dead', 1)
        note_end(tid, '', ARGV[at + 1], false)
        return
    end
    if kind == 'retry' then
        delay(tid, host, score, entry, tonumber(ARGV[at + 6]), ARGV[at + 7])
        move(tid, 'leased', 'delayed', 1)
    elseif kind == 'released' then
        put_back(tid, host, score, entry)
        move(tid, 'leased', 'queued', 1)
    elseif kind == 'dead' then
        bury(record, tid, reason, general, tonumber(ARGV[at + 5]))
        if result ~= '' then
            redis.call('HSET', former_key(tid), text(number_of(entry)), text(keep(tid, result, left)))
        end
        move(tid, 'leased', 'dead', 1)
    elseif kind == 'forged' then
        quarantine(entry)
        give_reason(tid, 'dead', general, 1)
        move(tid, 'leased', 'dead', 1)
    else
        if kind == 'skipped' then give_reason(tid, 'skipped', general, 1) end
        if result ~= '' then keep(tid, result, left) end
        drop_claim(tid, entry)
        move(tid, 'leased', kind, 1)
    end
    note_end(tid, host, ARGV[at + 1], kind == 'stored')
end

local function forget_leases(tid, tokens)
    for i = 1, #tokens, 1000 do
        local names, last = {}, math.min(i + 999, #tokens)
        for j = i, last do names[#names + 1] = tid .. ':' .. tokens[j] end
        redis.call('HDEL', leased_key(tid), unpack(tokens, i, last))
        redis.call('SREM', P .. ':begun', unpack(tokens, i, last))
        redis.call('ZREM', P .. ':expiry', unpack(names))
    end
end

-- Where each ending starts in ARGV; the records of the leases that are held, by token: in one look for each task.
local function find_leases()
    local starts, asked, records = {}, {}, {}
    local at, last = 4, #ARGV
    while at <= last do
        local tid, token = find_task(ARGV[at]), ARGV[at + 1]
        starts[#starts + 1] = at
        if tid then
            asked[tid] = asked[tid] or {}
            table.insert(asked[tid], token)
        end
        at = at + ENDING + LINK * ARGV[at + 9]
    end
    for tid, tokens in pairs(asked) do
        for i = 1, #tokens, 1000 do
            local last_ = math.min(i + 999, #tokens)
            for n, record in ipairs(redis.call('HMGET', leased_key(tid), unpack(tokens, i, last_))) do
                records[tokens[i + n - 1]] = record
            end
        end
    end
    return starts, records
end

local said = answered()
if said then return { said, redis.call('HLEN', P .. ':closing') } end
if ARGV[3] == '0' then pass_when_full() else redis.call('SET', slot, '') end
local flags = {}
local starts, records = find_leases()
for i, at in ipairs(starts) do
    local tid, token = find_task(ARGV[at]), ARGV[at + 1]
    local record = tid and records[token]
    if record then
        records[token] = nil -- a lease ends once
        take_in(tid, at + ENDING, tonumber(ARGV[at + 9]))
        settle(tid, record, at, #starts - i + 1)
    end
    flags[i] = record and '1' or '0'
end
for tid, tokens in pairs(gone) do forget_leases(tid, tokens) end
for tid, hosts in pairs(ended) do
    for host, n in pairs(hosts) do leave(tid, host, n.all, n.stored) end
    sweep_if_exhausted(tid)
end
write_counts()
return { answer(table.concat(flags)), redis.call('HLEN', P .. ':closing') }
