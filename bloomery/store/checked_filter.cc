// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/checked_filter.h"

#include <algorithm>
#include <concepts>
#include <exception>

#include "bloomery/format/kinds.h"
#include "bloomery/store/messages.h"

namespace bloomery {
namespace {

template <bool kInserts>
AnyFilter wrap(CheckedWords words) {
  if (words.filter.can_erase()) return AnyFilter(CheckedFilter<kInserts, true>(std::move(words)));
  return AnyFilter(CheckedFilter<kInserts, false>(std::move(words)));
}

}  // namespace

void CheckedWords::may_contain_many(KeyBatch batch, bool* found) const {
  const std::size_t count = batch.size();
  filter.may_contain_many(batch, {found, count});
  if (!body->all_good()) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!found[i]) found[i] = !is_absent(batch.subbatch(i, 1));
    }
  }
  if (!body->is_unchanged()) std::fill_n(found, count, true);
}

std::vector<Probe> CheckedWords::probes(KeyBatch one) const {
  return one.visit([&](const auto& keys) {
    const auto& key = keys.front();
    if constexpr (std::same_as<std::decay_t<decltype(key)>, std::uint64_t>) {
      return filter.probes(Key(reinterpret_cast<const char*>(&key), sizeof key));
    } else {
      return filter.probes(key);
    }
  });
}

bool CheckedWords::is_absent(KeyBatch one) const noexcept {
  try {
    return probed.prove_absence(probes(one), [&](std::uint64_t word, std::uint64_t count) {
      return body->are_good(word, count);
    });
  } catch (const std::exception&) {
    return false;  // no memory
  }
}

void CheckedWords::require_good(KeyBatch batch) const {
  if (body->all_good()) return;
  bool good = true;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    probed.prove_absence(probes(batch.subbatch(i, 1)),
                         [&](std::uint64_t word, std::uint64_t count) {
                           good &= body->are_good(word, count);
                           return good;
                         });
  }
  if (!good) require_good();
}

void CheckedWords::require_good() const {
  const BodyDamage damage = body->check_all();
  if (!damage.first_block) return;
  if (!body->is_unchanged()) {
    throw_store_error(path, "was truncated or written over by others while it was mapped");
  }
  throw_format_error(path, describe(damage, body->layout()));
}

void CheckedWords::require_ours() const {
  if (writer && process != process_number()) {
    throw_store_error(path, "was opened for writing by the process that this one was forked from");
  }
}

void CheckedWords::require_kept() const {
  if (writer && !body->is_unchanged()) {
    throw_store_error(path, "was truncated or written over by others while it was mapped");
  }
  if (writer && !body->keeps_bits()) {
    throw_store_error(path,
                      "the disk refused a part of it (full, or broken): what is inserted there "
                      "stays in this process");
  }
}

AnyFilter checked_filter(AnyFilter filter, std::shared_ptr<MappedBody> body,
                         std::filesystem::path path, bool writer) {
  const FilterContents contents = filter.contents();
  if (kind_of(contents.parameters.kind).built_once &&
      !body->are_good(contents.words[0].size() - 1, 1)) {
    // The last word of a filter that is built once says how the others are to be read.
    throw_format_error(path, describe(body->check_all(), body->layout()));
  }
  const bool inserts = filter.can_insert();
  filter.take_keys_as_said();  // who holds the checked one looks at them
  CheckedWords words{std::move(filter), std::move(body), ProbedWords(contents),
                     std::move(path),   writer,          process_number()};
  return inserts ? wrap<true>(std::move(words)) : wrap<false>(std::move(words));
}

}  // namespace bloomery
