-- include: state, lanes
-- Entries of a task in one state, in pages.
-- ARGV: task, state, how many at most, the place that they come after ("" for the first).
-- Result: for each its place in the listing, seconds to wait as text ("" for none), reason, HTTP status, record. Error
-- NOTASK for a task that was not started.

local tid, most, after = find_task(ARGV[1]), tonumber(ARGV[3]), ARGV[4]
local found = {}

local function show(place, due, reason, status, record)
    local wait = due and string.format('%.3f', math.max(0, tonumber(due) - now)) or ''
    for _, part in ipairs({ place, wait, reason, status, record }) do found[#found + 1] = part end
    return #found >= 5 * most
end

-- Calls `with` with member, score and the place of each member after a place, "score;members of that score before", until
-- it returns true.
local function walk(key, place, with)
    local from, skip = string.match(place, '^([-%d.e+inf]+);(%d+)$')
    from, skip = from or '-inf', tonumber(skip) or 0
    if skip > 0 then skip = math.min(skip, redis.call('ZCOUNT', key, from, from)) end -- some may be gone since
    while true do
        local members = redis.call('ZRANGEBYSCORE', key, from, '+inf', 'WITHSCORES', 'LIMIT', skip, 200)
        for i = 1, #members, 2 do
            if members[i + 1] == from then skip = skip + 1 else from, skip = members[i + 1], 1 end
            if with(members[i], from, from .. ';' .. skip) then return true end
        end
        if #members == 0 then return false end
    end
end

local peeks = {}

function peeks.queued()
    local first, place = string.match(after, '^(.*)\n([^\n]*)$')
    local from = first and '[' .. first or '-'
    while true do
        local hosts = redis.call('ZRANGEBYLEX', P .. ':hosts:' .. tid, from, '+', 'LIMIT', 0, 100)
        for _, host in ipairs(hosts) do
            local full = walk(queue_key(tid, host), host == first and place or '', function(entry, score, at)
                return show(host .. '\n' .. at, nil, '', 0, pack_record(tid, host, tonumber(score), entry))
            end)
            if full then return end
            from = '(' .. host
        end
        if #hosts == 0 then return end
    end
end

function peeks.suspect()
    walk(SUSPECTS, after, function(record, _, place)
        local ok, owner = pcall(unpack_record, record)
        return ok and owner == tid and show(place, nil, '', 0, record)
    end)
end

function peeks.delayed()
    walk(delayed_key(tid), after, function(record, due, place) return show(place, due, '', 0, record) end)
end

function peeks.dead()
    walk(dead_key(tid), after, function(letter, _, place)
        local reason, status, record = read_dead(letter)
        return reason and show(place, nil, reason, status, record)
    end)
end

function peeks.leased()
    local tokens = redis.call('HKEYS', leased_key(tid))
    table.sort(tokens, function(one, other) return (tonumber(one) or 0) < (tonumber(other) or 0) end)
    for _, token in ipairs(tokens) do
        if (tonumber(token) or 0) > (tonumber(after) or 0) then
            local due = redis.call('ZSCORE', P .. ':expiry', tid .. ':' .. token)
            if show(token, due, '', 0, redis.call('HGET', leased_key(tid), token)) then return end
        end
    end
end

if not tid then return redis.error_reply('NOTASK ' .. ARGV[1]) end
peeks[ARGV[2]]()
return found
