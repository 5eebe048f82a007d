// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bloomery/source/decoder.h"

struct ZSTD_DCtx_s;

namespace bloomery {

// A zstd stream of one or several frames. Room: 64 KiB and the window that its frames ask for, at
// most 128 MiB.
class Unzstd final : public Decoder {
 public:
  Unzstd(std::string name, std::string_view begin);
  ~Unzstd() override;

  std::size_t read(char* out, std::size_t byte_count, const Read& read) override;

 private:
  std::string name_;
  EncodedBytes bytes_;
  ZSTD_DCtx_s* stream_;
  bool inside_frame_ = true;
  bool has_more_ = false;  // decoded, and not handed out
};

}  // namespace bloomery
