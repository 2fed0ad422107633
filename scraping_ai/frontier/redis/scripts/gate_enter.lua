-- include: state, gates
-- Ask to send one request now.
-- ARGV: gate, visit, interval, how many at once ("" for any number), the throttle's start ("" for none) and longest delay;
-- then what gates.py calls MARGIN, SENDING, FULL_WAIT; seconds after which who is inside counts as gone, and those for which
-- who has entered may still send; visits that have left meanwhile. Who asks again has not sent: it enters anew.
-- Result, as texts: seconds to wait (0: entered), seconds from one entry to the next, seconds for which the gate is held.

pass_when_full()
local gate, visit, interval, at_once = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local margin, sending, full_wait = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
for i = 12, #ARGV do
    redis.call('ZREM', inside_key(gate), ARGV[i])
    note_sent(gate, ARGV[i])
end

local function asked()
    local most = 0
    local wishes = redis.call('HVALS', asked_key(gate))
    for _, wish in ipairs(wishes) do
        local seconds, until_ = string.match(wish, '^(%S+) (%S+)$')
        if tonumber(until_) > now then most = math.max(most, tonumber(seconds)) end
    end
    return most
end

local state = state_of(gate)
local pace = math.max(interval, asked(), delay_of(state, ARGV[5], ARGV[6]))

local function wait()
    if state.sending ~= '' and now < state.last + sending then
        return math.max(pace, state.pace, state.held - now) + margin
    end
    local kept = math.max(pace, state.pace) -- those that ask for more than we do get it after their own requests, too
    local last = state.last + (state.sending ~= '' and tonumber(ARGV[11]) or 0) -- when it may have been sent at the latest
    local open = math.max(kept > 0 and last + kept + margin or 0, state.held) - now
    if open <= 0 and at_once and redis.call('ZCARD', inside_key(gate)) >= at_once then return full_wait end
    return math.max(open, 0)
end

redis.call('ZREMRANGEBYSCORE', inside_key(gate), '-inf', now - ARGV[10])
local is_inside = redis.call('ZSCORE', inside_key(gate), visit)
local seconds = 0
if not is_inside or pace > 0 and state.sending ~= visit then -- others may have entered since
    if is_inside then redis.call('ZREM', inside_key(gate), visit) end
    seconds = wait()
elseif state.held > now then
    seconds = state.held - now
end
if seconds <= 0 then
    redis.call('ZADD', inside_key(gate), now, visit)
    state.pace, state.sending, state.last = pace, pace > 0 and visit or '', now
    keep(gate, state)
end
return { tostring(seconds), tostring(pace), tostring(math.max(state.held - now, 0)) }
