// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bloomery/filter/any_filter.h"
#include "bloomery/open/place_location.h"
#include "bloomery/place/call_context.h"
#include "bloomery/place/delta_source.h"
#include "bloomery/store/file_version.h"
#include "bloomery/store/shared_filter.h"
#include "cli/ending_signals.h"

namespace bloomery::cli {

struct PullArguments {
  PlaceLocation from;
  PlaceLocation to;
  std::optional<std::uint64_t> every_ms{};
  bool in_place = false;  // what comes goes into the file itself
  bool replace = false;
  bool json = false;
};

// A filter in a server as a file here: the filter, where it stands among all that came into the one
// in the server, and the file. `in_place`: the file is live, and the filter is nowhere else;
// signals that end a program are held back from the first write on, as one in the middle of it
// would leave a file that nobody can ask. Whatever writes the file throws ChangedError if another
// pull wrote it after the server was asked: that version may be newer.
class PulledFile {
 public:
  explicit PulledFile(const PullArguments& arguments);

  // Goes on from the file, if an earlier pull left it and the server has all that came since.
  // Returns whether it did; not if the file is damaged or anything else.
  bool go_on_with_file(const CallContext& context);
  // Reads the whole filter and writes it. Throws StoreError where the file is another filter's, and
  // may not be replaced.
  void read_whole(const CallContext& context);
  // Takes over what came, and writes it if anything did. False: there is no chain that leads there,
  // or the file was taken away.
  bool go_on(const CallContext& context);

  const AnyFilter& filter() const noexcept { return filter_ ? *filter_ : live_->filter(); }
  FilterContents contents() const;

 private:
  void take(DeltaSource::Whole whole);
  template <class Change>
  void change_live(Change change);
  void apply(std::span<const HashPair> hashes);
  void write();
  void write_anew();
  void bring_into_live();
  void write_version();
  bool is_there() const;
  void require_replaceable() const;
  bool is_live_version() const;
  bool is_live_named() const;
  std::string chain() const;

  const PullArguments& arguments_;
  const std::shared_ptr<DeltaSource> source_;
  std::optional<FileVersion> before_{};  // the file before the server was asked
  std::optional<EndingSignals> held_{};  // until the file is whole again
  std::optional<AnyFilter> filter_{};    // in memory
  std::optional<SharedFilter> live_{};   // or in the file
  std::filesystem::path target_{};       // of the live file, to which links led
  Identity identity_{};
  std::optional<Watermark> reached_{};
  std::uint64_t beat_ = 0;
  DeltaPosition position_{};
  std::uint64_t added_ = 0;            // keys that came since it was read into memory
  std::optional<Identity> written_{};  // of the file that was written last
  bool is_written_ = false;
};

}  // namespace bloomery::cli
