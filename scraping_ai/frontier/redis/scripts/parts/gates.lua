-- A gate's state, as scraping_ai/frontier/gates.py has it: the hash `gate:G`, and who is inside in the sorted set
-- `inside:G` by the time of entry. Both go by themselves a day after they were last of use.

local DAY = 86400

local function inside_key(gate) return P .. ':inside:' .. gate end
local function asked_key(gate) return P .. ':asked:' .. gate end

local function state_of(gate)
    local f = redis.call('HMGET', P .. ':gate:' .. gate, 'last', 'pace', 'held', 'sending', 'delay', 'patient')
    return { last = tonumber(f[1]) or -math.huge, pace = tonumber(f[2]) or 0, held = tonumber(f[3]) or -math.huge,
        sending = f[4] or '', delay = tonumber(f[5]), patient = tonumber(f[6]) or -math.huge }
end

local function keep(gate, state)
    local key = P .. ':gate:' .. gate
    for name, value in pairs(state) do redis.call('HSET', key, name, value) end
    redis.call('EXPIRE', key, DAY + math.max(0, math.ceil(state.held - now)))
    redis.call('EXPIRE', inside_key(gate), DAY)
end

-- The interval begins now, if it is this visit that has entered and not been sent.
local function note_sent(gate, visit)
    local state = state_of(gate)
    if state.sending ~= visit then return end
    state.sending, state.last = '', now
    keep(gate, state)
end

-- The delay that the throttle wants; `start` is "" where there is none.
local function delay_of(state, start, longest)
    if start == '' then return 0 end
    return math.min(state.delay or tonumber(start), tonumber(longest))
end
