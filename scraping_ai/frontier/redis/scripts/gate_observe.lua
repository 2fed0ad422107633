-- include: state, once, gates
-- A host answered, or failed to: the throttle's delay follows (class Throttle of gates.py).
-- ARGV: client, call, gate, latency, what it shows (well, plain, trouble), the throttle's target, start and longest delay,
-- least delay after trouble. Result: nothing.

if answered() then return end
pass_when_full()
local gate, latency, shown = ARGV[3], tonumber(ARGV[4]), ARGV[5]
local target, longest, least = tonumber(ARGV[6]), tonumber(ARGV[8]), tonumber(ARGV[9])
local state = state_of(gate)
local delay = delay_of(state, ARGV[7], longest)
if shown ~= 'trouble' then
    local wanted = math.min(math.max(latency / target, (delay + latency / target) / 2), longest)
    state.delay = shown == 'well' and wanted or math.max(wanted, delay)
elseif now >= state.patient then
    local pace = math.max(delay, state.pace)
    state.delay = math.max(math.min(math.max(2 * pace, least), longest), pace)
    state.patient = now + state.delay
end
keep(gate, state)
answer('')
