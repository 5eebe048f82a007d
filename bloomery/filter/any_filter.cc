// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/any_filter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <new>
#include <utility>

#include "bloomery/filter/key_watch.h"

namespace bloomery {
namespace {

// The digits of an integer: the key of a caller that writes texts.
class Digits {
 public:
  explicit Digits(auto integer) noexcept {
    const char* const end = std::to_chars(text_.data(), text_.data() + text_.size(), integer).ptr;
    size_ = static_cast<std::size_t>(end - text_.data());
  }
  Key key() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_{};
  std::size_t size_ = 0;
};

}  // namespace

void AnyFilter::take(AnyFilter& other) noexcept {
  body_ = std::move(other.body_);
  is_blocked_ = other.is_blocked_;
  as_said_ = other.as_said_;
  direct_ = other.direct_;
  watched_ = other.watched_;
  has_others_ = other.has_others_;
  try {
    FilterParameters full{
        .kind = FilterKind::blocked,
        .geometry = {.bit_count = kLeftBits, .probe_count = 8, .lines_per_key = 1},
        .capacity = 1,
        .false_positive_rate = 0.01,
        .keys = kUnknownForm};
    other.body_ = std::make_unique<Body<Blocked>>(
        Blocked(full, SharedWords::left(BlockedLayout::word_count(full)), 1));
    other.is_blocked_ = true;
    other.as_said_ = false;
    other.has_others_ = 0;
    other.watch();
  } catch (const std::bad_alloc&) {
    // Without memory the other filter has no body.
  }
}

void AnyFilter::watch() noexcept {
  watched_ = as_said_ ? 0 : watched_calls(parameters());
  direct_ = is_blocked_ ? static_cast<std::uint8_t>(~watched_) : 0;
}

const KeyForm& AnyFilter::keys() const noexcept {
  return has_others() ? kUnknownForm : parameters().keys;
}

void AnyFilter::set_keys(const KeyForm& keys) noexcept {
  body_->set_keys(keys);
  has_others_ = 0;
  watch();
}

AnyFilter AnyFilter::copy() const {
  AnyFilter copied = body_->copy();
  copied.as_said_ = as_said_;
  copied.set_keys(keys());
  return copied;
}

FilterContents AnyFilter::contents() const {
  FilterContents contents = body_->contents();
  contents.parameters.keys = keys();
  return contents;
}

void AnyFilter::merge(const FilterContents& other) {
  const KeyForm both = form_of_both(keys(), other.parameters.keys);
  if (!body_->keeps_form()) {
    body_->merge(other);
    return set_keys(both);
  }
  if (both != keys()) {
    throw IncompatibleError("cannot merge: the keys of one filter are " + form_text(keys()) +
                            " and those of the other " + form_text(both) +
                            ", which a file that is open cannot say");
  }
  body_->merge(other);
}

// Notes that the filter has keys of another form, too; from then on each key is asked about in both
// forms. Throws std::invalid_argument if is_asked_of_unknown() says that the filter's form cannot
// be asked about so, or if the filter keeps its form.
void AnyFilter::take_others() {
  const KeyForm& said = parameters().keys;
  if (!is_asked_of_unknown(said) || body_->keeps_form()) refuse_other_keys(said);
  std::atomic_ref(has_others_).store(1, std::memory_order_relaxed);
}

void AnyFilter::become_unknown() {
  take_others();
  set_keys(kUnknownForm);
}

bool AnyFilter::is_as_said(Key key) const noexcept {
  return is_key_of(parameters().keys, key);
}

void AnyFilter::look_at_batch(const KeyBatch& batch) {
  batch.visit([&, this]<class T>(std::span<const T> keys) {
    if constexpr (std::same_as<T, Key>) {
      if (!is_watched(kInsertTexts)) return;
      const auto is_said = [&, this](Key key) { return is_as_said(key); };
      if (!std::ranges::all_of(keys, is_said)) become_unknown();
    } else if constexpr (std::same_as<T, std::uint64_t>) {
      if (is_watched(kInsertIntegers) && !keys.empty()) become_unknown();
    }
  });
}

bool AnyFilter::may_contain_watched(Key key) const noexcept {
  if (body_->may_contain(key)) return true;
  const auto integer = integer_spelt(key);
  return integer && body_->may_contain(*integer);
}

bool AnyFilter::may_contain_watched(std::uint64_t integer) const noexcept {
  // Keys of four bytes, and of other systems' texts: nobody knows which of them an integer is.
  if (parameters().keys.encoding != KeyEncoding::text) return true;
  if (body_->may_contain(integer) || body_->may_contain(Digits(integer).key())) return true;
  const auto with_sign = static_cast<std::int64_t>(integer);
  return with_sign < 0 && body_->may_contain(Digits(with_sign).key());
}

void AnyFilter::may_contain_watched(const KeyBatch& batch, const Answers& found) const {
  found.fill(batch.size(), [&, this](std::size_t first, std::size_t count, bool* flags) {
    const KeyBatch part = batch.subbatch(first, count);
    body_->may_contain_many(part, {flags, count});
    part.visit([&, this]<class T>(std::span<const T> keys) {
      if constexpr (!std::same_as<T, HashPair>) {
        if (!is_watched(std::same_as<T, Key> ? kAskTexts : kAskIntegers)) return;
        for (std::size_t i = 0; i < count; ++i) {
          if (!flags[i]) flags[i] = may_contain_watched(keys[i]);
        }
      }
    });
  });
}

}  // namespace bloomery
