// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/filter_handle.h"

#include <array>
#include <stdexcept>

#include "bindings/c/failures.h"
#include "bloomery/c/bloomery.h"
#include "bloomery/errors.h"

using bloomery::AnyFilter;
using bloomery::FilterContents;
using bloomery::KeyEncoding;
using bloomery::KeyForm;
using bloomery::Normalise;

namespace {

// A form in one word; or that nobody chose one.
constexpr std::uint32_t kOpen = 1U << 16;

std::uint32_t packed(const KeyForm& form) noexcept {
  return static_cast<std::uint32_t>(form.encoding) | static_cast<std::uint32_t>(form.normalise)
                                                         << 8;
}

KeyForm unpacked(std::uint32_t word) noexcept {
  return {.encoding = static_cast<KeyEncoding>(word & 0xff),
          .normalise = static_cast<Normalise>(word >> 8 & 0xff)};
}

// The text of each form there is, for ever in one place.
const char* text_of(std::uint32_t word) {
  static std::array<std::atomic<const std::string*>, 1 << 12>& texts =
      *new std::array<std::atomic<const std::string*>, 1 << 12>{};
  // Fewer than sixteen encodings, and all normalisations that a byte can say.
  std::atomic<const std::string*>& text = texts.at((word & 0xff) << 8 | (word >> 8 & 0xff));
  const std::string* made = text.load();
  if (made == nullptr) {
    auto fresh = std::make_unique<const std::string>(bloomery::form_text(unpacked(word)));
    if (text.compare_exchange_strong(made, fresh.get())) made = fresh.release();
  }
  return made->c_str();
}

std::uint32_t form_of(bloomery::c::HeldFilter& filter, const std::string& chosen) {
  const bloomery::c::SaidForm said = filter.form();
  if (chosen.empty()) return said.is_open ? kOpen : packed(said.form);
  const auto form = bloomery::read_form_text(chosen);
  if (!form) {
    throw std::invalid_argument(
        "\"" + chosen + "\" is no form of keys; allowed: " + std::string(bloomery::kKeyEncodings) +
        ", with --normalise " + std::string(bloomery::kNormalises) +
        " behind it, with commas between");
  }
  if (said.is_open) {
    filter.set_form(*form);
  } else if (said.is_binding && said.form != *form &&
             (said.form.is_known() || !bloomery::is_asked_of_unknown(*form))) {
    throw bloomery::c::WrongKeys("the filter's keys are " + bloomery::form_text(said.form) +
                                 ", and as " + chosen +
                                 " they would be other bytes, which it denies");
  }
  return packed(*form);
}

}  // namespace

bloomery_filter::bloomery_filter(std::unique_ptr<bloomery::c::HeldFilter> filter,
                                 const std::string& form)
    : held_(std::move(filter)), form_(form_of(*held_, form)) {}

KeyForm bloomery_filter::form_to_ask(const KeyForm& usual) const {
  const std::uint32_t form = form_.load(std::memory_order_acquire);
  return form == kOpen ? usual : unpacked(form);
}

KeyForm bloomery_filter::form_to_insert(const KeyForm& usual) {
  const std::uint32_t word = form_.load(std::memory_order_acquire);
  const KeyForm form = word == kOpen ? take_form(usual) : unpacked(word);
  if (usual.is_known() || form != KeyForm{} || !held_->forget_form()) [[likely]]
    return form;
  form_.store(packed(bloomery::kUnknownForm));
  return bloomery::kUnknownForm;
}

// Whoever merges has a form to merge in, or its filter is empty. An empty filter whose form is open
// takes that of the other once it has the keys, so that a merge that fails leaves it open.
void bloomery_filter::merge(const bloomery_filter& other) {
  const auto require_same = [](const KeyForm& own, const KeyForm& others) {
    if (own == others) return;
    throw bloomery::IncompatibleError("cannot merge: the keys of one filter are " +
                                      bloomery::form_text(own) + " and those of the other " +
                                      bloomery::form_text(others));
  };
  const auto form = other.chosen();
  if (const auto own = chosen(); own && form && *own != *form) {
    // Together with keys of which nobody knows, all are so, where they are asked for then.
    const bool is_asked =
        bloomery::is_asked_of_unknown(*own) && bloomery::is_asked_of_unknown(*form);
    if ((own->is_known() && form->is_known()) || !is_asked) require_same(*own, *form);
    if (own->is_known()) {
      held_->set_form(bloomery::kUnknownForm);
      form_.store(packed(bloomery::kUnknownForm));
    }
    return other.look([&](const FilterContents& contents) { held_->merge(contents); });
  }
  other.look([&](const FilterContents& contents) { held_->merge(contents); });
  // Throws if another thread's key came first, in another form. Then bits are set that are no keys,
  // which denies none.
  if (form) require_same(form_to_insert(*form), *form);
}

KeyForm bloomery_filter::take_form(const KeyForm& form) {
  std::uint32_t now = kOpen;
  if (!form_.compare_exchange_strong(now, packed(form))) return unpacked(now);
  held_->set_form(form);
  return form;
}

const char* bloomery_filter::form_text() const {
  const std::uint32_t form = form_.load(std::memory_order_acquire);
  return form == kOpen ? "" : text_of(form);
}

std::optional<KeyForm> bloomery_filter::chosen() const {
  const std::uint32_t form = form_.load(std::memory_order_acquire);
  if (form == kOpen) return std::nullopt;
  return unpacked(form);
}

int bloomery_filter::trusted(int answer) const noexcept {
  if (answer != BLOOMERY_ABSENT || !doubt_.is_there()) [[likely]]
    return answer;
  return BLOOMERY_UNKNOWN;
}

void bloomery_filter::require_trust() const {
  if (!doubt_.is_there()) return;
  throw bloomery::c::InDoubt(
      "an insert into this filter failed, and its keys may be missing: insert them again and "
      "acknowledge that, or clear it");
}

void bloomery_filter::look(const std::function<void(const FilterContents&)>& see) const {
  require_trust();
  held_->look([&](const AnyFilter& filter) {
    FilterContents contents = filter.contents();
    contents.parameters.keys = chosen().value_or(bloomery::kUnknownForm);
    see(contents);
  });
}

std::string bloomery_filter::info() const {
  return held_->info(chosen().value_or(bloomery::kUnknownForm));
}

AnyFilter bloomery_filter::copy() const {
  require_trust();
  AnyFilter filter = held_->copy();
  filter.set_keys(chosen().value_or(bloomery::kUnknownForm));
  return filter;
}
