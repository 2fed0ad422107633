-- The seen-set of a task: buckets of integers, few enough in each that the server keeps it as a sorted array of 8 bytes
-- an integer (set-max-intset-entries, 512 by default). The buckets are split one at a time as the set grows (linear
-- hashing, Litwin 1980), so that a bucket holds between SEEN and 2 * SEEN in the mean whatever the set's size.

local function bucket_key(tid, bucket) return P .. ':seen:' .. tid .. ':' .. text(bucket) end

-- The last nine decimal digits: a Lua number is a double, and cannot hold the whole fingerprint.
local function digits(fingerprint) return math.abs(tonumber(string.sub(fingerprint, -9)) or 0) end

local function level_of(buckets)
    local level = 1
    while level * 2 <= buckets do level = level * 2 end
    return level
end

local function split(tid, buckets)
    local level = level_of(buckets)
    local from, to = bucket_key(tid, buckets - level), bucket_key(tid, buckets)
    local moved = {}
    for _, fingerprint in ipairs(redis.call('SMEMBERS', from)) do
        if digits(fingerprint) % (2 * level) == buckets then moved[#moved + 1] = fingerprint end
    end
    for i = 1, #moved, 1000 do
        redis.call('SADD', to, unpack(moved, i, math.min(i + 999, #moved)))
        redis.call('SREM', from, unpack(moved, i, math.min(i + 999, #moved)))
    end
    count(tid, 'splits', 1)
    task(tid).level = nil
end

-- Whether a fingerprint (decimal digits) is new; it is no more.
local function is_new(tid, fingerprint)
    local t = task(tid)
    local buckets = t.splits + 1
    local level = t.level or level_of(buckets)
    t.level = level
    local bucket = digits(fingerprint) % (2 * level)
    if bucket >= buckets then bucket = bucket % level end
    if redis.call('SADD', bucket_key(tid, bucket), fingerprint) == 0 then return false end
    count(tid, 'seen', 1)
    if t.seen > SEEN * buckets then split(tid, buckets) end
    return true
end
