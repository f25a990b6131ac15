#include "cli/ui/read_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/ui/option_names.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "workloads/rename.h"

namespace heliolite::cli {
namespace {

void add_defines(const std::vector<std::string>& texts, ReadOptions& options) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const bool is_name = !name.empty() && is_letter(name.front()) &&
                         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
    if (equals == std::string::npos || !is_name)
      throw CLI::ValidationError("--define", fmt::format("'{}' must be NAME=VALUE", shortened(text)));
    options.defines[std::string(name)] = text.substr(equals + 1);
  }
}

void add_renames(const std::vector<std::string>& texts, ReadOptions& options) {
  Result<std::vector<Rename>> renames = parse_renames(fmt::format("{}", fmt::join(texts, ",")));
  if (!renames) throw CLI::ValidationError("--rename", renames.errors().front().message);
  options.renames = *std::move(renames);
}

}  // namespace

void add_read_options(CLI::App& command, ReadOptions& options) {
  command
      .add_option_function<std::string>(
          "--sparse", [&options](const std::string&) { options.ignore_sparse = true; },
          "What to do with sparse machines and tensors: ignore, read them as dense ones")
      ->type_name("HOW")
      ->transform(one_of({"ignore"}));
  command
      .add_option_function<std::vector<std::string>>(
          "--define", [&options](const std::vector<std::string>& texts) { add_defines(texts, options); },
          "Value of a name in templates ({{NAME}}); may be given several times")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--rename", [&options](const std::vector<std::string>& texts) { add_renames(texts, options); },
          "Other names for dimensions of the workload, those of the machine's constraints")
      ->type_name("OLD=NEW")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--link-transfers", [&options](const std::string& word) { options.link_transfers = word == "on"; },
          "Whether receivers take words from neighbours: on or off (default: as the machine says; Timeloop's "
          "files: on)")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}));
}

std::vector<std::string> words_of(const ReadOptions& options) {
  std::vector<std::string> words;
  if (options.ignore_sparse) words.insert(words.end(), {"--sparse", "ignore"});
  for (const auto& [name, value] : options.defines)
    words.insert(words.end(), {"--define", fmt::format("{}={}", name, value)});
  for (const Rename& rename : options.renames)
    words.insert(words.end(), {"--rename", fmt::format("{}={}", rename.from, rename.to)});
  if (options.link_transfers) words.insert(words.end(), {"--link-transfers", *options.link_transfers ? "on" : "off"});
  return words;
}

void tell(const std::vector<std::string>& notes, const Output& output) {
  for (const std::string& note : notes) output.note("heliolite: note: " + note);
}

}  // namespace heliolite::cli
