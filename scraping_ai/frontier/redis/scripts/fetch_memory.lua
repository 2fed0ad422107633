-- include: state
-- What a host needed (scraping_ai/middlewares/memory.py), in the hash `fetch:HOST`: counts by "rung came shape", as they
-- were `at`. They fade; a rung's on one shape are never more than `most`.
-- ARGV: host, half-life, seconds that it is kept, most, most counts, then pairs of a count's name and by how much it grows.
-- Result: names and counts, faded until now.

pass_when_full()
local half, keep, most, room = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local key = P .. ':fetch:' .. ARGV[1]
local counts, n, at = {}, 0, now
local kept = redis.call('HGETALL', key)
for i = 1, #kept, 2 do
    if kept[i] == 'at' then at = tonumber(kept[i + 1]) or now end
end
local by = 0.5 ^ (math.max(now - at, 0) / half)
for i = 1, #kept, 2 do
    local count = kept[i] ~= 'at' and tonumber(kept[i + 1])
    if count and count * by > 0.01 then counts[kept[i]], n = count * by, n + 1 end
end
for i = 6, #ARGV - 1, 2 do
    local name, more = ARGV[i], tonumber(ARGV[i + 1])
    if counts[name] or n < room then
        if not counts[name] then n = n + 1 end
        counts[name] = (counts[name] or 0) + more
        local rung, shape = string.match(name, '^(%S+) %S+ (.*)$')
        local total = 0
        for _, came in ipairs({ 'good', 'js', 'hard' }) do total = total + (counts[rung .. ' ' .. came .. ' ' .. shape] or 0) end
        for _, came in ipairs({ 'good', 'js', 'hard' }) do
            local each = rung .. ' ' .. came .. ' ' .. shape
            if total > most and counts[each] then counts[each] = counts[each] * most / total end
        end
    end
end
local said = {}
if #ARGV > 5 then
    redis.call('DEL', key)
    redis.call('HSET', key, 'at', string.format('%.6f', now))
end
for name, count in pairs(counts) do
    local text = string.format('%.6g', count)
    said[#said + 1], said[#said + 2] = name, text
    if #ARGV > 5 then redis.call('HSET', key, name, text) end
end
if #ARGV > 5 then redis.call('EXPIRE', key, keep) end
return said
