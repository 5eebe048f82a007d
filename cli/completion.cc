// SPDX-License-Identifier: Apache-2.0
// bloomery completion: a script that makes a shell complete this command.
#include <memory>
#include <stdexcept>
#include <string>

#include "bloomery/text/printable.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/shell_completion.h"

namespace bloomery::cli {
namespace {

constexpr const char* kCompletionExamples = R"(Examples:
  bloomery completion bash
  bloomery completion bash >bloomery.bash

To keep the script, write it where the shell looks: for bash /usr/share/bash-completion/completions/bloomery,
for zsh _bloomery in a folder of $fpath, for fish ~/.config/fish/completions/bloomery.fish. The Debian
package has put them there.)";

std::string script_for(const std::string& shell, const CommandManual& root) {
  if (shell == "bash") return bash_completion(root);
  if (shell == "zsh") return zsh_completion(root);
  if (shell == "fish") return fish_completion(root);
  throw std::invalid_argument("SHELL: " + printable(shell) + " is not one of bash, zsh, fish");
}

}  // namespace

void add_completion(Command app, int& status) {
  const auto shell = std::make_shared<std::string>();
  const Command command = app.add_subcommand("completion", "Print a shell completion script");
  command.add_option("SHELL", *shell, "bash, zsh or fish").type_name("bash|zsh|fish").required();
  command.footer(kCompletionExamples);
  command.callback([shell, app, &status] {
    Output output;
    output.write(script_for(*shell, app.manual()));
    output.flush();
    status = kSome;
  });
}

}  // namespace bloomery::cli
