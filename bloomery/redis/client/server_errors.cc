// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/server_errors.h"

#include <algorithm>
#include <array>

#include "bloomery/text/printable.h"

namespace bloomery::redis {
namespace {

struct Beginning {
  std::string_view words;
  Refusal refusal;
};

constexpr std::size_t kMostTold = 600;  // with what tell_commands() adds

constexpr std::array kBeginnings{
    Beginning{"WRONGTYPE ", Refusal::wrong_type},
    Beginning{"NOPERM ", Refusal::no_permission},
    Beginning{"NOAUTH ", Refusal::not_authenticated},
    Beginning{"WRONGPASS ", Refusal::not_authenticated},
    Beginning{"LOADING ", Refusal::loading},
    Beginning{"READONLY ", Refusal::read_only},
    Beginning{"MASTERDOWN ", Refusal::master_down},
    Beginning{"MOVED ", Refusal::moved},
    Beginning{"ASK ", Refusal::ask},
    Beginning{"TRYAGAIN ", Refusal::try_again},
    Beginning{"CLUSTERDOWN ", Refusal::cluster_down},
    Beginning{"OOM ", Refusal::out_of_memory},
    Beginning{"BUSY ", Refusal::busy},
    Beginning{"LATER ", Refusal::later},
    Beginning{"ERR unknown command", Refusal::unknown_command},
};

}  // namespace

std::string beginning_of(std::string_view text, std::size_t most) {
  return without_controls(text.substr(0, most)) + (text.size() > most ? "..." : "");
}

Refusal refusal_of(std::string_view text) noexcept {
  const auto found = std::find_if(kBeginnings.begin(), kBeginnings.end(),
                                  [&](const auto& each) { return text.starts_with(each.words); });
  return found == kBeginnings.end() ? Refusal::other : found->refusal;
}

RefusedError::RefusedError(const std::string& server, const std::string& text)
    : StoreError(server + ": " + beginning_of(text, kMostTold)), refusal(refusal_of(text)) {}

}  // namespace bloomery::redis
