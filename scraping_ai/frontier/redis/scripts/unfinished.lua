-- include: state
-- Names of tasks that have something pending.
-- ARGV: the name that they come after ("" for all), how many tasks are looked at.
-- Result: the name that was looked at last ("" where there are no more), names.

local names = redis.call('ZRANGEBYLEX', P .. ':names', ARGV[1] == '' and '-' or '(' .. ARGV[1], '+', 'LIMIT', 0, ARGV[2])
local found = { #names < tonumber(ARGV[2]) and '' or names[#names] }
for _, name in ipairs(names) do
    local tid = find_task(name)
    if tid then
        local t = task(tid)
        if t.queued + t.delayed + t.leased > 0 then found[#found + 1] = name end
    end
end
return found
