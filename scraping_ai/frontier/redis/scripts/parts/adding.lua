-- How links become entries. A link is five arguments: fingerprint ("" to take it in even if its address is known), host,
-- depth, minus its priority, JSON of the address and the request.

local LINK = 5

-- Take in n links that start at ARGV[at]: a digit for each, 1 if it was new.
local function take_in(tid, at, n)
    if n == 0 then return '' end
    local lanes, flags, new = {}, {}, 0
    local number = new_numbers('seq', n)
    for i = 1, n do
        local fingerprint, host = ARGV[at], ARGV[at + 1]
        if fingerprint == '' or is_new(tid, fingerprint) then
            local lane = lanes[host] or {}
            lanes[host] = lane
            lane[#lane + 1] = ARGV[at + 3]
            lane[#lane + 1] = struct.pack(ENTRY, tonumber(ARGV[at + 2]), number, 0, 0) .. ARGV[at + 4]
            new, flags[i] = new + 1, '1'
        else
            flags[i] = '0'
        end
        number, at = number + 1, at + LINK
    end
    for host, lane in pairs(lanes) do
        for i = 1, #lane, 2000 do
            redis.call('ZADD', queue_key(tid, host), unpack(lane, i, math.min(i + 1999, #lane)))
        end
        redis.call('HINCRBY', host_key(host), tid .. ':queued', #lane / 2)
        open_lane(tid, host)
    end
    count(tid, 'added', new)
    count(tid, 'queued', new)
    count(tid, 'duplicates', n - new)
    for host in pairs(lanes) do skip_if_full(tid, host) end
    return table.concat(flags)
end
