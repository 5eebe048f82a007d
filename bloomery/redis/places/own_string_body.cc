// SPDX-License-Identifier: Apache-2.0
// A filter in a string, read as a whole.
#include <algorithm>
#include <optional>

#include "bloomery/bits/byte_order.h"
#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/own_string.h"
#include "bloomery/redis/places/run_reading.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kPieceOfCopy = 1024 * 1024;

// One block of the body against its checksum in the table.
void check_blocks(std::span<const std::byte> body, std::span<const std::byte> table,
                  const std::string& name) {
  for (std::size_t at = 0; at < body.size(); at += kBlockBytes) {
    const auto block = body.subspan(at, std::min<std::size_t>(kBlockBytes, body.size() - at));
    if (crc32c(block) == get_number<std::uint32_t>(table, at / kBlockBytes * 4)) continue;
    throw StoreError(name + ": damaged: checksum of body block " +
                     std::to_string(at / kBlockBytes) + " does not match");
  }
}

}  // namespace

// With its head at that moment: bits that an older state of the filter had, as a failover brings it
// back for a while, are not taken for those of the watermark that was read first.
std::string OwnString::read_piece(std::uint64_t from, std::uint64_t count,
                                  const NativeBitmapHead& first, std::vector<Head>& heads,
                                  const CallContext& context) {
  Seen seen;
  Request request;
  request.about(key_);
  begin_transaction(request, seen.nonce);
  request.add({"STRLEN", key_}).add({"GETRANGE", key_, "0", std::to_string(head_length_ - 1)});
  request.add({"GETRANGE", key_, std::to_string(from), std::to_string(from + count - 1)});
  request.add({"EXEC"});
  Answer answer = run_reading(*client_, request, context);
  auto all = read_exec(answer.replies, 5, seen.nonce, name_);
  read_beginning(all, client_->location().allow_replica, seen);
  if (!seen.is_primary) client_->suspect(key_);
  if (!seen.doubt.empty()) fail(seen.doubt);
  const Head now = seen.head;
  if (now->header.notes.identity != first.header.notes.identity) {
    fail("another filter took its place while it was read");
  }
  const auto reached = now->header.notes.reached();
  const auto needed = context.fence != nullptr ? std::optional(context.fence->at_least)
                                               : first.header.notes.reached();
  if (needed && !(reached && reached->reaches(*needed))) {
    fail("its watermark is below what is needed, or went back while it was read");
  }
  if (!all[4].is(Reply::Type::text) || all[4].text.size() != count) {
    fail("it became shorter while it was read");
  }
  heads.push_back(now);
  return std::move(all[4].text);
}

std::vector<OwnString::Head> OwnString::read_body(std::span<std::byte> body,
                                                  const CallContext& context) {
  std::vector<Head> heads{need_head(context)};
  const Head head = heads.front();
  std::vector<std::byte> table(layout_.table_bytes);
  for (std::uint64_t at = 0; at < layout_.file_bytes - layout_.body_offset; at += kPieceOfCopy) {
    const std::uint64_t from = layout_.body_offset + at;
    const std::uint64_t count = std::min<std::uint64_t>(kPieceOfCopy, layout_.file_bytes - from);
    const std::string piece = read_piece(from, count, *head, heads, context);
    const auto bytes = std::as_bytes(std::span(piece));
    const std::uint64_t in_body =
        std::min<std::uint64_t>(count, at < body.size() ? body.size() - at : 0);
    if (in_body > 0) std::ranges::copy(bytes.first(in_body), body.subspan(at).begin());
    if (in_body == count) continue;
    std::ranges::copy(bytes.subspan(in_body),
                      table.begin() + static_cast<std::ptrdiff_t>(at + in_body - body.size()));
  }
  // The filter must be the one whose head was read first; its bits may only have been set
  // meanwhile.
  const Head after = need_head(context);
  if (after->header.notes.identity != head->header.notes.identity) {
    fail("another filter took its place while it was read");
  }
  if (!after->header.is_live) check_blocks(body, table, name_);
  heads.push_back(after);
  return heads;
}

}  // namespace bloomery::redis
