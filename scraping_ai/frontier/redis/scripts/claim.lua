-- include: state, lanes, seen
-- Mark the address seen that a lease's own redirected to. What an entry has claimed is kept by its number.
-- ARGV: task, token, fingerprint.
-- Result: 0 if the task has the address from elsewhere, else 1; also of a lease that is no longer held.

local tid = find_task(ARGV[1])
local record = tid and redis.call('HGET', leased_key(tid), ARGV[2])
local owner, _, _, entry
if record then owner, _, _, entry = read_record(record) end
if not owner then return 1 end
local claims, number = P .. ':claims:' .. tid, text(number_of(entry))
if redis.call('HGET', claims, number) == ARGV[3] then return 1 end
if not is_new(tid, ARGV[3]) then return 0 end
redis.call('HSET', claims, number, ARGV[3])
write_counts()
return 1
