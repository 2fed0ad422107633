-- include: state, gates
-- Let nobody in for a while.
-- ARGV: gate, seconds. Result: nothing.

pass_when_full()
local state = state_of(ARGV[1])
state.held = math.max(state.held, now + tonumber(ARGV[2]))
keep(ARGV[1], state)
redis.call('ZADD', P .. ':held', state.held, ARGV[1])
redis.call('INCR', P .. ':holds')
