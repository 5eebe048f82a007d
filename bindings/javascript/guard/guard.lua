-- SPDX-License-Identifier: Apache-2.0
-- Every verb of the cache guard, as docs/guard_protocol.md describes them.
-- KEYS: entry and lease of each key; then the filter, if one is asked. ARGV: the verb and its arguments.

local verb = ARGV[1]
local count = math.floor(#KEYS / 2)
local filter = #KEYS % 2 == 1 and KEYS[#KEYS] or nil
local most_keys, most_marks, mark_size = 1000, 1000, 45

local function fail(text)
  return redis.error_reply('GUARD ' .. text)
end

local function is_primary()
  local said = redis.pcall('INFO', 'replication')
  return type(said) == 'string' and string.find(said, '\r\nrole:master\r\n', 1, true) ~= nil
end

-- A whole number from `least` to 315,360,000,000, which is ten years of milliseconds, as decimal digits; or nil.
local function whole(text, least)
  local number = text and #text <= 12 and string.find(text, '^%d+$') and tonumber(text)
  return number and number >= least and number <= 315360000000 and number or nil
end

local digits_13 = '^' .. string.rep('%d', 13) .. '$'
local function moment_of(text)
  return string.find(text, digits_13) and tonumber(text) or nil
end

local clock -- read once: a script sees one moment
local function now()
  clock = clock or redis.call('TIME')
  return clock[1] * 1000 + math.floor(clock[2] / 1000)
end

-- Arguments of a command: the words, then the items from ARGV[first] on.
local function with_items(words, first)
  for i = first, #ARGV do words[#words + 1] = ARGV[i] end
  return words
end

local function is_bloom(family)
  return string.sub(family, -5) == 'BLOOM'
end

local function markers_of(name)
  local markers = {}
  for i = 0, 7 do markers[i + 1] = 'bloomery-marker:' .. name .. ':' .. i end
  return markers
end

-- Asks BLOOM.CHECK, if the filter has the identity. A first item of '' keeps a key called FENCE from being an option.
local function ask_bloom(family, identity, source, position, first)
  local info = redis.pcall(family .. '.INFO', filter, 'WATERMARK')
  if type(info) ~= 'table' or info[1] ~= identity then return nil end
  local words = {family .. '.CHECK', filter}
  if source ~= '' then words = {family .. '.CHECK', filter, 'FENCE', source, position} end
  words[#words + 1] = ''
  local said = redis.pcall(unpack(with_items(words, first)))
  if type(said) ~= 'table' or said.err then return nil end
  table.remove(said, 1)
  return said
end

-- Asks BF.MEXISTS, and counts the answers only if all markers are there. No filter of BF.* keeps a fence.
local function ask_bf(family, identity, source, first)
  if source ~= '' then return nil end
  local words = markers_of(identity)
  table.insert(words, 1, filter)
  table.insert(words, 1, family .. '.MEXISTS')
  local said = redis.pcall(unpack(with_items(words, first)))
  if type(said) ~= 'table' or said.err then return nil end
  for _ = 1, 8 do
    if table.remove(said, 1) ~= 1 then return nil end
  end
  return said
end

local function is_half_fence()
  return (ARGV[4] == '') ~= (ARGV[5] == '')
end

-- What the filter says of each item from ARGV[first] on: absent, maybe or unknown; none where no filter is asked.
local function presences(first)
  local family, identity, source, position = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  local presence, said = {}, nil
  if filter and identity ~= '' then
    if is_bloom(family) then
      said = ask_bloom(family, identity, source, position, first)
    else
      said = ask_bf(family, identity, source, first)
    end
  end
  for i = 1, #ARGV - first + 1 do
    local flag = said and said[i]
    presence[i] = not filter and 'none' or flag == 0 and 'absent' or flag == 1 and 'maybe' or 'unknown'
  end
  return presence
end

-- Inserts the items into the filter that is there. The error, or nil.
local function insert(first)
  local family = ARGV[2]
  local words = {family .. '.INSERT', filter, 'NOCREATE', 'ITEMS'}
  if is_bloom(family) then words = {family .. '.MADD', filter} end
  local said = redis.pcall(unpack(with_items(words, first)))
  if type(said) ~= 'table' then return fail('the filter answers something else') end
  if said.err then return said end
  if #said ~= #ARGV - first + 1 then return fail('the filter answers something else') end
  for _, each in ipairs(said) do
    if type(each) ~= 'number' then return type(each) == 'table' and each or fail('the filter answers something else') end
  end
end

-- Takes the lease for the token. The server's time makes each lease another one, also for a request that comes twice.
local function take(lease, token, life)
  now()
  local id = token .. string.format('%010.0f%06.0f', clock[1], clock[2])
  local done = redis.pcall('SET', lease, 'L' .. id, 'NX', 'PX', life)
  return type(done) == 'table' and done.ok and id or nil
end

local function get_one(said, keys, entry, lease, token, life, is_fenced)
  if said == 'absent' then return {'absent'} end
  local kind = entry and string.sub(entry, 1, 1)
  local moment = kind == 'V' and moment_of(string.sub(entry, 2, 14))
  if moment then
    local value = string.sub(entry, 15)
    local id = moment > 0 and not lease and now() >= moment and take(keys[2], token, life)
    return {'value', said, value, id or nil}
  end
  if lease and string.sub(lease, 1, 1) ~= 'L' then return {'open', said, 'announced'} end
  if entry == 'N' then
    if is_fenced then return {'open', said, 'fence'} end
    return {'none', said}
  end
  if not lease then
    local id = take(keys[2], token, life)
    return id and {'lease', said, id} or {'open', said, 'refused'}
  end
  if string.sub(lease, 2, 33) == token then return {'lease', said, string.sub(lease, 2)} end
  local left = redis.call('PTTL', keys[2])
  if left < 0 then -- no lease of a guard lives for ever
    redis.call('PEXPIRE', keys[2], life)
    left = tonumber(life)
  end
  return {'wait', said, left}
end

-- ARGV: family, identity, source and position of a fence, token, life of a lease, items.
local function get()
  local token, life = ARGV[6], ARGV[7]
  if #ARGV ~= 7 + count or not whole(life, 1) or #token ~= 32 or is_half_fence() then return fail('get: wrong arguments') end
  local presence, answers, strings = {}, {}, nil
  if not is_primary() then
    for i = 1, count do answers[i] = {'open', 'unknown', 'role'} end
    return answers
  end
  presence = presences(8)
  for i = 1, count do
    if presence[i] ~= 'absent' and not strings then
      strings = redis.call('MGET', unpack(KEYS, 1, 2 * count))
    end
  end
  for i = 1, count do
    local keys = {KEYS[2 * i - 1], KEYS[2 * i]}
    answers[i] = get_one(presence[i], keys, strings and strings[2 * i - 1], strings and strings[2 * i], token, life, ARGV[4] ~= '')
  end
  return answers
end

-- ARGV: for each key lease, V or N, life, refresh after (0: never), value.
local function put()
  if #ARGV ~= 1 + 5 * count then return fail('put: wrong arguments') end
  local done = {}
  for i = 1, count do
    local id, kind, life, refresh, value = unpack(ARGV, 5 * i - 3, 5 * i + 1)
    local after = whole(refresh, 0)
    if not whole(life, 1) or not after or (kind ~= 'V' and kind ~= 'N') then return fail('put: wrong arguments') end
    local entry, lease = KEYS[2 * i - 1], KEYS[2 * i]
    if redis.call('MGET', lease)[1] == 'L' .. id then
      local text = 'N'
      if kind == 'V' then text = 'V' .. string.format('%013.0f', after > 0 and now() + after or 0) .. value end
      local set = redis.pcall('SET', entry, text, 'PX', life)
      redis.call('DEL', lease)
      done[i] = set.ok and 1 or 'GUARD ' .. (set.err or 'put: not written')
    else
      done[i] = 0
    end
  end
  return done
end

-- ARGV: for each key its lease.
local function drop()
  local dropped = 0
  for i = 1, count do
    if redis.call('MGET', KEYS[2 * i])[1] == 'L' .. (ARGV[1 + i] or '') then
      dropped = dropped + redis.call('DEL', KEYS[2 * i])
    end
  end
  return dropped
end

-- The marks of an open lease that hold at this moment, but for the token's; the last moment of theirs; and how many they are.
-- The fourth result is the token's own moment, or nil.
local function other_marks(lease, token)
  local kept, last, number, own = {}, 0, 0, nil
  if lease and string.sub(lease, 1, 1) == 'O' then
    for at = 2, #lease - mark_size + 1, mark_size do
      local moment = moment_of(string.sub(lease, at + 32, at + mark_size - 1))
      if moment and moment > now() then
        if string.sub(lease, at, at + 31) == token then
          own = moment
        else
          number = number + 1
          kept[number] = string.sub(lease, at, at + mark_size - 1)
          last = math.max(last, moment)
        end
      end
    end
  end
  return table.concat(kept), last, number, own
end

-- ARGV: family, identity (not looked at), '', '', token, life of a mark, items. Answers the moment, and for each key whether
-- the token's mark held until now.
local function announce()
  local token, life = ARGV[6], ARGV[7]
  if #ARGV ~= 7 + count or not whole(life, 1) or #token ~= 32 then return fail('announce: wrong arguments') end
  local refused = filter and insert(8)
  if refused then return refused end
  local till = now() + tonumber(life)
  local answer = {till}
  for i = 1, count do
    local entry, lease = KEYS[2 * i - 1], KEYS[2 * i]
    local strings = redis.call('MGET', entry, lease)
    if strings[1] and string.sub(strings[1], 1, 1) ~= 'V' then redis.call('DEL', entry) end
    local marks, last, number, own = other_marks(strings[2], token)
    if number >= most_marks then return fail('announce: too many writers of one key') end
    last = math.max(last, till)
    redis.call('SET', lease, 'O' .. marks .. token .. string.format('%013.0f', till), 'PX', string.format('%.0f', last - now()))
    answer[i + 1] = own and 1 or 0
  end
  return answer
end

-- ARGV: the token of an announcement, or ''. Answers how many entries went.
local function erase()
  local erased = 0
  for i = 1, count do
    local entry, lease = KEYS[2 * i - 1], KEYS[2 * i]
    local held = redis.call('MGET', lease)[1]
    erased = erased + redis.call('DEL', entry)
    local marks, last = other_marks(held, ARGV[2])
    if marks == '' then
      redis.call('DEL', lease)
    else
      redis.call('SET', lease, 'O' .. marks, 'PX', string.format('%.0f', last - now()))
    end
  end
  return erased
end

-- KEYS: the filter. ARGV: family, identity, source, position, items.
local function ask()
  if #KEYS ~= 1 or #ARGV < 5 or is_half_fence() then return fail('ask: wrong arguments') end
  return presences(6)
end

-- KEYS: the filter. ARGV: family, items.
local function insert_items()
  if #KEYS ~= 1 or #ARGV < 3 then return fail('insert: wrong arguments') end
  return insert(3) or #ARGV - 2
end

-- KEYS: the filter, and where the name of its markers is. ARGV: family. Answers the identity.
local function open()
  local family = ARGV[2]
  if #ARGV ~= 2 or #KEYS < (is_bloom(family) and 1 or 2) or #KEYS > 2 then return fail('open: wrong arguments') end
  if not is_bloom(family) then
    local name = redis.call('GET', KEYS[2])
    if not name or name == '' then return fail('open: the filter has no markers; bloomery create or load bf: makes one that has') end
    return name
  end
  local info, said = redis.call(family .. '.INFO', KEYS[1]), {}
  local function text(reply) return type(reply) == 'table' and reply.ok or reply end
  for i = 1, #info, 2 do said[text(info[i])] = text(info[i + 1]) end
  if not said['Identity'] then return fail('open: the filter has no identity; BLOOM.RESERVE and bloomery push make one that has') end
  if said['Kind'] == 'windowed' or said['Kind'] == 'counting' then
    return fail('open: a ' .. said['Kind'] .. ' filter forgets keys, so its absent is no proof')
  end
  local keys = said['Keys']
  if keys ~= 'text' then
    return fail('open: the filter holds keys as ' .. tostring(keys) .. '; the guard asks for texts')
  end
  return said['Identity']
end

-- KEYS: the set of queries under way. ARGV: token, how many at most, life of one. Answers 1 if there is a place.
local function enter()
  if #ARGV ~= 4 or #KEYS ~= 1 or not whole(ARGV[3], 1) or not whole(ARGV[4], 1) then return fail('enter: wrong arguments') end
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now())
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
  redis.call('ZADD', KEYS[1], now() + tonumber(ARGV[4]), ARGV[2])
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
  return 1
end

local function leave()
  if #ARGV ~= 2 or #KEYS ~= 1 then return fail('leave: wrong arguments') end
  return redis.call('ZREM', KEYS[1], ARGV[2])
end

if count > most_keys or #ARGV > 6 * most_keys then return fail('more than 1000 keys') end
if verb == 'get' then return get() end
if not is_primary() then return fail('not a primary') end
if verb == 'put' then return put() end
if verb == 'drop' then return drop() end
if verb == 'announce' then return announce() end
if verb == 'erase' then return erase() end
if verb == 'ask' then return ask() end
if verb == 'insert' then return insert_items() end
if verb == 'open' then return open() end
if verb == 'enter' then return enter() end
if verb == 'leave' then return leave() end
return fail('no such verb: ' .. tostring(verb))
