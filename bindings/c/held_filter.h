// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "bloomery/filter/any_filter.h"
#include "bloomery/place/call_context.h"
#include "bloomery/text/key_form.h"

namespace bloomery::c {

// The most keys that are read, asked or inserted in one piece.
inline constexpr std::size_t kPiece = 4096;

// How the keys of a filter are written, as far as it says so.
struct SaidForm {
  KeyForm form{};
  bool is_binding = false;  // who says otherwise is refused
  bool is_open = false;     // it is empty and nobody has said: it takes what comes first
};

// A filter as the C interface has it, wherever it is. Answers and outcomes are the interface's
// numbers. All calls may run together; they throw as the library does.
class HeldFilter {
 public:
  virtual ~HeldFilter() = default;

  virtual int ask(Key key) = 0;
  virtual int insert(Key key) = 0;
  // `ask_many` takes at most kPiece keys, and as many answers, which come in as BLOOMERY_UNKNOWN.
  // `outcomes` may be null. `insert_many` returns how many keys were added.
  virtual void ask_many(UnhashedBatch keys, std::uint8_t* answers, const CallContext& context) = 0;
  virtual std::size_t insert_many(UnhashedBatch keys, std::uint8_t* outcomes) = 0;
  // Erases the key, and returns what it found.
  virtual Erase erase(Key key) = 0;

  virtual SaidForm form() = 0;
  // Writes the form of keys into the filter: of one whose form is open, which it then no longer is,
  // or of one that a merge leaves with an unknown form.
  virtual void set_form(const KeyForm& form) = 0;

  // Makes the form unknown before a key of another one comes in. False for other systems' filters,
  // which say no form. Throws WrongKeys where a place says its form for good.
  virtual bool forget_form() { return false; }

  virtual AnyFilter copy() = 0;
  // Calls see() with all of it; only questions and concurrent inserts run beside.
  virtual void look(const std::function<void(const AnyFilter&)>& see) = 0;
  // Merges `other`. The caller has compared how the keys of both are written: of another system's
  // filter only its handle knows that.
  virtual void merge(FilterContents other) = 0;
  virtual void clear() = 0;
  virtual void flush() = 0;
  // The last call of a filter that nobody doubts: what flush() would keep is kept where that goes.
  virtual void finish() noexcept {}

  virtual std::uint64_t inserted() = 0;
  virtual std::uint64_t capacity() = 0;
  virtual std::string info(const KeyForm& keys) = 0;

  virtual FilterParameters parameters() = 0;
  // Returns the bytes that its bits take in this process's own memory: 0 where a file or server has
  // them.
  virtual std::uint64_t memory_bytes() = 0;
  // How its place is called; "" in memory.
  virtual std::string place_name() = 0;
};

}  // namespace bloomery::c
