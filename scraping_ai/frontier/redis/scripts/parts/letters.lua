-- Dead letters that an operator names by their numbers.

-- Call `with` for each of a task's dead letters among ARGV[from] and what follows, taken out, with the host, the score and
-- the entry: how many they were.
local function each_letter(tid, from, with)
    local done = 0
    for i = from, #ARGV do
        local number = tonumber(ARGV[i])
        local letters = number and redis.call('ZRANGEBYSCORE', dead_key(tid), text(number), text(number)) or {}
        for _, letter in ipairs(letters) do
            redis.call('ZREM', dead_key(tid), letter)
            local reason, _, record = read_dead(letter)
            local owner, host, score, entry
            if reason then owner, host, score, entry = read_record(record) end
            if owner == tid then
                give_reason(tid, 'dead', reason == '' and 'failed' or string.match(reason, '^[^:]*'), -1)
                with(host, score, entry)
                done = done + 1
            end
        end
    end
    return done
end
