-- include: state, once, lanes, sweep, returning, choosing, mending
-- Hand out entries that nobody works on. Before that, retries whose time has come are queued again, and leases that have
-- ended are taken back.
-- ARGV: client, call, entries at most, leases of one host at most ("" for no limit), seconds of a lease, losses that
-- make a dead letter.
-- Result: for each lease the task's name, the token, and the record (see parts/lanes.lua).

local function again(spans)
    local leases = {}
    for tid, first, n in string.gmatch(spans, '(%d+):(%d+):(%d+)') do
        for token = tonumber(first), first + n - 1 do
            local record = redis.call('HGET', leased_key(tid), text(token))
            if record then
                for _, part in ipairs({ task(tid).name, text(token), record }) do leases[#leases + 1] = part end
            end
        end
    end
    return leases
end

local said = answered()
if said then return again(said) end
pass_when_full()
go_on_sweeping()
requeue_due()
reclaim(tonumber(ARGV[6]), tonumber(ARGV[5]))
redis.call('HSET', P .. ':counters', 'beat', now)
local until_ = string.format('%.6f', now + tonumber(ARGV[5])) -- once: a number would be made text for each lease
local spans, leases = choose(tonumber(ARGV[3]), tonumber(ARGV[4]) or math.huge, until_)
if #spans == 0 then mend(tonumber(ARGV[5])) end
write_counts()
if #spans > 0 then answer(table.concat(spans, ' ')) end -- nothing may as well be asked for twice
return leases
