-- include: state, gates
-- The request of a visit has been answered, or given up; when nobody has said that it was sent, some of it may be.
-- ARGV: gate, visit. Result: nothing.

pass_when_full()
redis.call('ZREM', inside_key(ARGV[1]), ARGV[2])
note_sent(ARGV[1], ARGV[2])
