// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "module/open_key.h"
#include "module/settings.h"
#include "module/the_module.h"

namespace bloomery::module {

// One call of a command: its words, its answer, and what becomes of it elsewhere. Word 1 is a key.
class Call {
 public:
  Call(Context* context, std::span<String* const> words) : context_(context), words_(words) {}

  std::size_t size() const noexcept { return words_.size(); }
  std::string_view word(std::size_t i) const noexcept;
  std::span<const std::byte> bytes(std::size_t i) const noexcept {
    return std::as_bytes(std::span<const char>(word(i)));
  }
  std::vector<std::string_view> words(std::size_t first = 0) const;
  Context* context() const noexcept { return context_; }
  OpenKey open(int mode, std::size_t word = 1) const { return {context_, words_[word], mode}; }
  OpenKey open(const ServerString& name, int mode) const { return {context_, name.get(), mode}; }
  ServerString make_string(std::string_view text) const { return {context_, text}; }

  bool is_in_cluster() const noexcept;
  // A primary, or a file of commands, has decided already: limits are not for it.
  bool is_replay() const noexcept;
  // A node that gives a slot to this one says it. Valkey takes an error for "no", and the slot
  // stays where it is; Redis writes one into its log, and goes on.
  bool is_slot_move() const noexcept;
  Settings limits() const noexcept;

  void reply_ok() const { reply_simple("OK"); }
  void reply_simple(const char* text) const;
  void reply_error(const char* text) const;
  void reply_number(std::uint64_t number) const;
  void reply_real(double number) const;
  void reply_bool(bool value) const;
  void reply_null() const;
  void reply_bytes(std::span<const std::byte> bytes) const;
  void reply_bytes(std::string_view text) const;
  void reply_array(std::size_t size) const;
  bool is_resp3() const noexcept;
  // RESP3 has maps; before, and on servers before 7.0, they are arrays of names and values.
  bool has_maps() const noexcept;
  void reply_map(std::size_t size) const;

  // Replicas and the append-only file get this command as it is, or another that has its effect.
  void replicate() const;
  void replicate_reserve(const redisbloom::ReserveOptions& options) const;
  void replicate_insert(const redisbloom::ReserveOptions& options,
                        std::span<String* const> items) const;
  // The first `count` words of this command.
  void replicate_first(std::size_t count) const;
  // Tells them of items that an existing filter has taken, by BF.MADD or BLOOM.MADD.
  void replicate_add(const char* command, std::span<String* const> items) const;
  // Passes items on as replicate_add() does, with the moment, for filters that go by time and for
  // loads under way.
  void replicate_apply(std::uint64_t milliseconds, std::span<String* const> items) const;
  void replicate_chunk(std::uint64_t iterator, std::span<const std::byte> bytes) const;
  void replicate_head(std::span<const std::byte> head) const;
  // Lets word 1 expire, here and there, at the same moment; 0: it does not.
  void expire_after(OpenKey& key, std::uint64_t milliseconds) const;
  void replicate_abort() const;
  void replicate_delete() const;
  void replicate_reserve(const redisbloom::CuckooOptions& options) const;
  void replicate_cuckoo_insert(std::span<String* const> items) const;
  void replicate_lost(std::string_view why) const;

  // Throws Evicted where this server may have evicted the filter that a command is about to make: a
  // primary's, or one of a node that gives a slot, whose filters came before.
  void require_not_evicted() const;
  // Tells those who watch the key.
  void changed(const char* event) const;
  // Writes a line into the server's log: "the filter `KEY` is lost: WHY".
  void log_lost(const std::string& why) const;

  String* raw_word(std::size_t i) const noexcept { return words_[i]; }
  int flags() const noexcept;  // of the context

 private:
  Context* context_;
  std::span<String* const> words_;
  mutable std::optional<int> flags_{};  // of the context: the same for all of a command
};

}  // namespace bloomery::module
