#include "cli/ui/read_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "workloads/rename.h"

namespace heliolite::cli {

void ReadArguments::add_to(CLI::App& command) {
  command
      .add_option("--sparse", sparse, "What to do with sparse machines and tensors: ignore, read them as dense ones")
      ->type_name("ignore")
      ->check(CLI::IsMember({"ignore"}));
  command.add_option("--define", defines, "Value of a name in templates ({{NAME}}); may be given several times")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--rename", renames, "Other names for dimensions of the workload, those of the machine's constraints")
      ->type_name("OLD=NEW")
      ->delimiter(',')
      ->allow_extra_args(false);
}

Result<ReadOptions> ReadArguments::options() const {
  ReadOptions options;
  options.ignore_sparse = !sparse.empty();
  for (const std::string& text : defines) {
    const std::size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const bool is_name = !name.empty() && is_letter(name.front()) &&
                         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
    if (equals == std::string::npos || !is_name)
      return Diagnostic{"", 0, "--define", fmt::format("'{}' must be NAME=VALUE", shortened(text))};
    options.defines[std::string(name)] = text.substr(equals + 1);
  }
  return options;
}

Diagnostics ReadArguments::rename(Network& network) const {
  if (renames.empty()) return {};
  std::string all;
  for (const std::string& text : renames) all += (all.empty() ? "" : ",") + text;
  const auto parsed = parse_renames(all);
  return parsed ? rename_dimensions(network, *parsed) : parsed.errors();
}

void tell(const std::vector<std::string>& notes, const Output& output) {
  for (const std::string& note : notes) output.note("heliolite: note: " + note);
}

}  // namespace heliolite::cli
