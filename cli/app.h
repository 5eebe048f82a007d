#pragma once

namespace bloomery::cli {

// The whole command: parses the arguments, runs the subcommand, and says what went wrong on
// standard error. Returns the exit status (exit_status.h); lets no exception out.
int run(int argc, const char* const* argv) noexcept;

}  // namespace bloomery::cli
