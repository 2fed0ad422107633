-- What was kept of pages: a sorted set by number; a member is the number, then a JSON array of depth, page and records.
-- `former` has by entry the number of what a dead letter left.

local function results_key(tid) return P .. ':results:' .. tid end

local function former_key(tid) return P .. ':former:' .. tid end

local function keep_result(tid, number, result)
    redis.call('ZADD', results_key(tid), text(number), text(number) .. result)
end

-- A dead letter is none any more, and what was kept of its page goes if it `is_replayed`.
local function drop_former(tid, entry, is_replayed)
    local id = text(number_of(entry))
    local number = redis.call('HGET', former_key(tid), id)
    if not number then return end
    redis.call('HDEL', former_key(tid), id)
    if is_replayed then redis.call('ZREMRANGEBYSCORE', results_key(tid), number, number) end
end
