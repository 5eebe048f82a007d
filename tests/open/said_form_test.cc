// SPDX-License-Identifier: Apache-2.0
// C++ programs that insert keys through a place in another form than its filter says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/open/open_place.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SaidForm : public ::testing::Test {
 protected:
  std::string file_of(FilterKind kind, const KeyForm& form) {
    AnyFilter filter = make_filter(kind, {.capacity = 1'000, .keys = form});
    filter.take_keys_as_said();
    filter.insert("alice");
    const std::string file = folder_ / (std::to_string(++count_) + ".bloom");
    save(filter, file);
    return file;
  }
  const testing::ScratchFolder folder_;
  int count_ = 0;
  const std::uint64_t seven_ = 7;
};

TEST_F(SaidForm, IsUnknownFromThenOnWhereAFileIsWrittenAnew) {
  const std::string file = file_of(FilterKind::scalable, {});
  const auto place = open_place(file, {.access = PlaceOptions::read_write});
  place->insert("12345678");
  EXPECT_EQ(place->head().parameters.keys, KeyForm{});
  place->insert(as_key(seven_));
  EXPECT_EQ(place->head().parameters.keys, kUnknownForm);
  place->flush({});
  EXPECT_EQ(inspect(file).contents.parameters.keys, kUnknownForm);
  EXPECT_TRUE(load(std::filesystem::path(file)).may_contain(7));
}

TEST_F(SaidForm, CannotChangeInAFileThatIsOpen) {
  const std::string file = file_of(FilterKind::blocked, {});
  for (const auto access : {PlaceOptions::read_write, PlaceOptions::shared}) {
    const auto place = open_place(file, {.access = access});
    place->insert("12345678");
    EXPECT_THAT([&] { place->insert(as_key(seven_)); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("its keys are text")));
    EXPECT_EQ(place->presence_of(as_key(seven_)), Presence::absent) << "nothing was inserted";
  }
  const std::string numbers = file_of(FilterKind::blocked, {KeyEncoding::i64});
  const auto place = open_place(numbers, {.access = PlaceOptions::read_write});
  place->insert(as_key(seven_));
  EXPECT_THROW(place->insert("8"), std::invalid_argument);
  EXPECT_EQ(place->presence_of("7"), Presence::maybe) << "as the integer that it spells";
}

TEST_F(SaidForm, IsTheCallersAffairWhereHeSaysSo) {
  const std::string file = file_of(FilterKind::blocked, {});
  const auto place = open_place(file, {.access = PlaceOptions::read_write, .keys_as_said = true});
  place->insert(as_key(seven_));
  EXPECT_EQ(place->presence_of(as_key(seven_)), Presence::maybe);
}

TEST_F(SaidForm, OfWhichNobodySaidAnythingTakesBoth) {
  const std::string file = file_of(FilterKind::blocked, kUnknownForm);
  const auto place = open_place(file, {.access = PlaceOptions::read_write});
  place->insert(as_key(seven_));
  place->insert("8");
  EXPECT_EQ(place->presence_of(as_key(seven_)), Presence::maybe);
}

}  // namespace
}  // namespace bloomery
