#include "workloads/rename.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {
namespace {

bool is_dimension_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

Result<std::vector<Rename>> parse_renames(const std::string& text) {
  std::vector<Rename> renames;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string from(trim(std::string_view(part).substr(0, equals)));
    const std::string to(equals < part.size() ? trim(std::string_view(part).substr(equals + 1)) : "");
    const bool twice = std::ranges::find(renames, from, &Rename::from) != renames.end();
    if (!is_dimension_name(from) || !is_dimension_name(to) || twice)
      return Diagnostic{"", 0, "--rename",
                        fmt::format("'{}' must be OLD=NEW, two names of dimensions{}", shortened(part),
                                    twice ? ", each OLD once" : "")};
    renames.push_back({from, to});
  }
  if (renames.empty()) return Diagnostic{"", 0, "--rename", "must be OLD=NEW, two names of dimensions"};
  return renames;
}

Diagnostics rename_dimensions(Workload& workload, std::span<const Rename> renames) {
  std::vector<std::string> names;
  for (const Dimension& d : workload.dimensions) {
    const auto rename = std::ranges::find(renames, d.name, &Rename::from);
    names.push_back(rename == renames.end() ? d.name : rename->to);
  }
  for (std::size_t d = 0; d < names.size(); ++d)
    if (std::ranges::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(d), names[d]) !=
        names.begin() + static_cast<std::ptrdiff_t>(d))
      return {{"", 0, "--rename", fmt::format("{} would have two dimensions '{}'", workload.name, names[d])}};
  for (std::size_t d = 0; d < names.size(); ++d) workload.dimensions[d].name = std::move(names[d]);
  return {};
}

Diagnostics rename_dimensions(Network& network, std::span<const Rename> renames) {
  std::vector<std::string> known;
  for (const Layer& layer : network.layers)
    for (const Dimension& d : layer.workload.dimensions)
      if (std::ranges::find(known, d.name) == known.end()) known.push_back(d.name);
  Diagnostics errors;
  for (const Rename& rename : renames)
    if (std::ranges::find(known, rename.from) == known.end())
      errors.push_back({"", 0, "--rename",
                        fmt::format("{} has no dimension '{}'{}; it has {}", network.name, rename.from,
                                    did_you_mean(rename.from, known), join(known))});
  if (!errors.empty()) return errors;
  for (Layer& layer : network.layers)
    for (Diagnostic& error : rename_dimensions(layer.workload, renames)) errors.push_back(std::move(error));
  return errors;
}

}  // namespace heliolite
