-- include: state, once, lanes, results, sweep, letters
-- Queue dead letters again, as if they were new.
-- ARGV: client, call, task, numbers of entries.
-- Result: how many were dead letters; tasks that are still to be swept. Error NOTASK for a task that was not started.

local said = answered()
if said then return { tonumber(said), redis.call('HLEN', P .. ':closing') } end
local tid = find_task(ARGV[3])
if not tid then return redis.error_reply('NOTASK ' .. ARGV[3]) end
local hosts = {}
local replayed = each_letter(tid, 4, function(host, score, entry)
    drop_former(tid, entry, true)
    enqueue(tid, host, score, fresh(entry))
    move(tid, 'dead', 'queued', 1)
    hosts[host] = true
end)
for host in pairs(hosts) do skip_if_full(tid, host) end
sweep_if_exhausted(tid)
write_counts()
answer(text(replayed))
return { replayed, redis.call('HLEN', P .. ':closing') }
