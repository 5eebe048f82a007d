#pragma once

#include <stdexcept>

namespace bloomery::module {

// What a command answers instead of doing anything: the text behind the "-" of an error.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct WrongArity {};

}  // namespace bloomery::module
