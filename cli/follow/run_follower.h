// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bloomery/cache/shared_strings.h"
#include "bloomery/follow/follower.h"
#include "bloomery/open/place_location.h"
#include "bloomery/source/change_options.h"
#include "cli/arguments.h"
#include "cli/command_line.h"
#include "cli/key_choice.h"

namespace bloomery::cli {

struct FollowArguments {
  std::string from;
  std::optional<PlaceLocation> to;
  NewFilter filter;
  KeyChoice keys;
  ChangeOptions changes;
  FollowerOptions follower;
  std::unique_ptr<SharedStrings> cache;
  std::string metrics;
  double every_seconds = 10;
  double healthy_seconds = 10;
  bool once = false;
  bool removes = false;
  bool rebuilds = false;
  bool needs_filter = false;  // none is made where none is
};

// SOURCE and LOCATION, and what can be said of the filter and of its keys: gives LOCATION, which
// may be left out. The arguments outlive the command line.
Option add_followed(Command command, FollowArguments& arguments);

// Follows as the arguments say, and tells how it goes on standard error. The command's exit status.
// Throws what keeps it from following.
int run_follower(FollowArguments& arguments);

}  // namespace bloomery::cli
