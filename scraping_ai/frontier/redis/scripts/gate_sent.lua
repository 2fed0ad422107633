-- include: state, gates
-- The request of a visit is on its way.
-- ARGV: gate, visit. Result: nothing.

pass_when_full()
note_sent(ARGV[1], ARGV[2])
