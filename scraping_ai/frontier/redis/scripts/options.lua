-- include: state
-- What a task was started with.
-- ARGV: task.
-- Result: its options; nothing for a task that has none, or is not known.

local tid = find_task(ARGV[1])
return tid and redis.call('HGET', P .. ':task:' .. tid, 'options')
