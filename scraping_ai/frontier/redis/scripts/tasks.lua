-- Names of tasks in their order.
-- ARGV: how many at most, the name that they come after ("" for all).
-- Result: the names.

return redis.call('ZRANGEBYLEX', KEYS[1] .. ':names', ARGV[2] == '' and '-' or '(' .. ARGV[2], '+', 'LIMIT', 0, ARGV[1])
