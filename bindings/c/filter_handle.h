// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bindings/c/doubt.h"
#include "bindings/c/held_filter.h"
#include "bloomery/filter/filter_contents.h"

// A handle of the C interface points to a bloomery_filter: a filter, how its keys are written, and
// whether an insert failed.
struct bloomery_filter {
 public:
  // `form` stands where the filter itself does not decide. Throws WrongKeys where it contradicts
  // one that does.
  bloomery_filter(std::unique_ptr<bloomery::c::HeldFilter> filter, const std::string& form);

  bloomery::c::HeldFilter& held() const noexcept { return *held_; }

  // The form in which keys are asked for, and inserted. An empty filter whose form nobody chose
  // takes that of what is inserted first, `usual`. One of texts becomes unknown, where it can say
  // so, if `usual` is.
  bloomery::KeyForm form_to_ask(const bloomery::KeyForm& usual) const;
  bloomery::KeyForm form_to_insert(const bloomery::KeyForm& usual);
  // Returns null while no form is chosen.
  const char* form_text() const;

  // Returns `answer`, but BLOOMERY_UNKNOWN for BLOOMERY_ABSENT as long as an insert failed that
  // nobody acknowledged.
  int trusted(int answer) const noexcept;
  bloomery::c::Doubt& doubt() noexcept { return doubt_; }
  // Throws InDoubt.
  void require_trust() const;

  // Says whether a key that was refused leaves no doubt, because the caller that gave the key
  // cannot overlook the refusal.
  bool heeds_refusals() const noexcept { return heeds_refusals_.load(std::memory_order_relaxed); }
  void heed_refusals() noexcept { heeds_refusals_.store(true, std::memory_order_relaxed); }

  // All of it, with its form: see HeldFilter::look. Throws InDoubt.
  void look(const std::function<void(const bloomery::FilterContents&)>& see) const;
  bloomery::AnyFilter copy() const;
  // The keys of both are in it then. Throws IncompatibleError, and InDoubt where `other` is.
  void merge(const bloomery_filter& other);
  std::string info() const;
  // Returns the form of keys that was chosen, or nothing: then the filter is empty.
  std::optional<bloomery::KeyForm> chosen() const;

 private:
  bloomery::KeyForm take_form(const bloomery::KeyForm& form);

  const std::unique_ptr<bloomery::c::HeldFilter> held_;
  std::atomic<std::uint32_t> form_;
  std::atomic<bool> heeds_refusals_ = false;
  bloomery::c::Doubt doubt_;
};
