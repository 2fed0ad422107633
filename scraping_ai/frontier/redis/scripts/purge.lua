-- include: state, once, lanes, results, letters
-- Give dead letters up.
-- ARGV: client, call, task, numbers of entries.
-- Result: how many were dead letters. Error NOTASK for a task that was not started.

local said = answered()
if said then return tonumber(said) end
local tid = find_task(ARGV[3])
if not tid then return redis.error_reply('NOTASK ' .. ARGV[3]) end
pass_when_full()
local purged = each_letter(tid, 4, function(_, _, entry)
    move(tid, 'dead', 'skipped', 1)
    give_reason(tid, 'skipped', 'purged', 1)
    drop_claim(tid, entry)
    drop_former(tid, entry, false)
end)
write_counts()
answer(text(purged))
return purged
