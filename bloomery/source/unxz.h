// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/source/decoder.h"

namespace bloomery {

// An xz stream, or several one behind the other. Room: 64 KiB and what its preset asks for, at most
// 256 MiB.
class Unxz final : public Decoder {
 public:
  Unxz(std::string name, std::string_view begin);
  ~Unxz() override;

  std::size_t read(char* out, std::size_t byte_count, const Read& read) override;

 private:
  struct Stream;

  std::string name_;
  EncodedBytes bytes_;
  std::unique_ptr<Stream> stream_;
  bool is_over_ = false;
};

}  // namespace bloomery
