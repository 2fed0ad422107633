-- A call that a broken connection sends again has its effect once: each client numbers its calls, and the answer to its
-- last one is kept. ARGV[1]: the client, ARGV[2]: the number of its call.

local KEPT = 86400 -- seconds
local slot = P .. ':call:' .. ARGV[1]

-- The answer, if this very call was made before.
local function answered()
    local kept = redis.call('GET', slot)
    if kept and string.sub(kept, 1, #ARGV[2] + 1) == ARGV[2] .. ' ' then return string.sub(kept, #ARGV[2] + 2) end
end

local function answer(said)
    redis.call('SET', slot, ARGV[2] .. ' ' .. said, 'EX', KEPT)
    return said
end
