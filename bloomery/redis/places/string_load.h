// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/redis/client/client.h"
#include "bloomery/redis/places/bulk_load.h"
#include "bloomery/redis/places/key_beside.h"
#include "bloomery/redis/places/native_bitmap.h"

namespace bloomery::redis {

// The layout that the header will be read with.
FileLayout layout_of(const FileHeader& header);

// Bytes of a head that no other filter's has.
std::string naming_bytes(const NativeBitmapHead& head);

// One string of a filter of ours on its way to its place: beside it, and by one exchange into it.
class StringLoad {
 public:
  // `header` is the new string's, and its contents live as long as this; so does `options`.
  // `cleared` names the filter that is to be empty, and no other is. Throws as load_native() does
  // for what is there.
  StringLoad(Client& client, std::string key, std::string name, FileHeader header,
             const BulkOptions& options, std::optional<std::string> cleared = {});

  void send(const KeyProgress& progress) { beside_->send(progress); }

  // Does what exchange() may be refused, as far as that changes nothing.
  void rehearse();

  // `expires` is for a string that was not there; an old one has a time of its own. Of a part that
  // is made anew `require_first` is called once it is known what it replaces, and nothing else.
  void exchange(std::string_view expires = {}, const std::function<void()>& require_first = {});

  // The head of the filter of ours that was discarded; nothing if there was none.
  const std::optional<NativeBitmapHead>& discarded() const noexcept { return discarded_; }

 private:
  // The script's word for what becomes of the string that is there, and the bytes by which the
  // script knows it; empty: none are needed.
  struct Replaced {
    std::string_view mode{};
    std::string head{};
  };
  std::string run_script(const Replaced& replaced, std::string_view new_head,
                         std::string_view expires);
  Replaced replaced() const;
  Replaced what_is_there();
  void require_string();
  void require_same();
  bool is_kept() const;
  [[noreturn]] void refuse(const std::string& said) const;

  Client& client_;
  const std::string key_;
  const std::string name_;
  FileHeader header_;
  const BulkOptions& options_;
  const std::optional<std::string> cleared_;
  std::optional<NativeBitmapHead> old_;
  const bool keeps_old_;
  std::optional<NativeBitmapHead> discarded_{};
  std::optional<KeyBeside> beside_{};
};

}  // namespace bloomery::redis
