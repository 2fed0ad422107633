-- What every script has at hand: the time, keys, and tasks with their counters, whose changes are written at the end.
-- KEYS[1] is the frontier's prefix, a hash tag; every key begins with it, so that all are on one node of a cluster.

local P = KEYS[1]
local SUSPICION = 2 -- lost workers from which an entry is leased alone
local SEEN = 200 -- fingerprints a bucket in the mean, see seen.lua

-- A key that somebody made another type of is moved to `replaced`, and is then missing: see parts/mending.lua.
local server = redis

local function set_aside(key)
    server.call('RENAME', key, P .. ':replaced')
    server.pcall('HINCRBY', P .. ':counters', 'quarantined', 1)
end

local redis = setmetatable({}, { __index = server })

function redis.call(...)
    local said = server.pcall(...)
    if type(said) ~= 'table' or not said.err then return said end
    if not string.find(said.err, 'WRONGTYPE', 1, true) then error(said) end
    set_aside((select(2, ...)))
    return server.call(...)
end

local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000

-- A full server refuses a script at its first write that may take memory; after another write it refuses none. This is
-- that other write, for scripts that free memory or only move what is there.
local function pass_when_full() redis.call('DEL', P .. ':nothing') end

local function host_key(host) return P .. ':host:' .. host end
local function lanes_key(host) return P .. ':lanes:' .. host end
local function queue_key(tid, host) return P .. ':queue:' .. tid .. ':' .. host end

local function leased_key(tid) return P .. ':leased:' .. tid end

local function text(number) return string.format('%d', number) end

-- The first of n new numbers of a counter. They start at the clock's microseconds: a server that lost its last writes
-- gives none out twice.
local function new_numbers(name, n)
    local last = tonumber(redis.call('HGET', P .. ':counters', name)) or 0
    local first = math.max(last + 1, clock[1] * 1000000 + clock[2])
    redis.call('HSET', P .. ':counters', name, text(first + n - 1))
    return first
end

local tasks = {}

-- A task's limits and counters as they stand now, with what this script has changed.
local function task(tid)
    local t = tasks[tid]
    if not t then
        local f = redis.call('HMGET', P .. ':task:' .. tid, 'max_pages', 'max_host_pages', 'weight', 'stored', 'leased',
            'queued', 'delayed', 'seen', 'splits', 'name', 'had_host_limit')
        t = { max_pages = tonumber(f[1]), max_host_pages = tonumber(f[2]), weight = tonumber(f[3]) or 1,
            stored = tonumber(f[4]) or 0, leased = tonumber(f[5]) or 0, queued = tonumber(f[6]) or 0,
            delayed = tonumber(f[7]) or 0, seen = tonumber(f[8]) or 0, splits = tonumber(f[9]) or 0,
            name = f[10] or '', had_host_limit = f[11], changes = {} }
        tasks[tid] = t
    end
    return t
end

local function count(tid, field, n)
    local t = tasks[tid] or task(tid)
    local changes = t.changes
    t[field] = (t[field] or 0) + n
    changes[field] = (changes[field] or 0) + n
end

local function move(tid, from, to, n)
    count(tid, from, -n)
    count(tid, to, n)
end

local function give_reason(tid, outcome, reason, n)
    if n == 0 then return end
    local key, field = P .. ':reasons:' .. tid, outcome .. ':' .. reason
    if redis.call('HINCRBY', key, field, n) <= 0 then redis.call('HDEL', key, field) end
end

local function write_counts()
    for tid, t in pairs(tasks) do
        for field, n in pairs(t.changes) do
            if n ~= 0 then redis.call('HINCRBY', P .. ':task:' .. tid, field, n) end
        end
        t.changes = {}
    end
end

local known = {}

local function refuse_damage(key) error(redis.error_reply('DAMAGED ' .. P .. key)) end

-- A task's id by its name; nothing for one that was not started.
local function find_task(name)
    if known[name] == nil then
        local tid = redis.call('HGET', P .. ':tasks', name)
        if tid and task(tid).name ~= name then refuse_damage(':task:' .. tid) end
        if not tid and redis.call('ZSCORE', P .. ':names', name) then refuse_damage(':tasks') end
        known[name] = tid
    end
    return known[name]
end
