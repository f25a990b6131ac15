#include "engine/inputs/read_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/base/yaml_node.h"

namespace heliolite {
namespace {

constexpr std::string_view kSparseSections[] = {"sparse_optimizations"};
constexpr std::string_view kDensities[] = {"densities", "commonDensity", "common_density"};

bool is_one_of(std::string_view key, std::span<const std::string_view> keys) {
  return std::ranges::find(keys, key) != keys.end();
}

// One kind of thing that was taken out.
struct Dropped {
  std::size_t count = 0;
  std::string where;  // the first one
};

}  // namespace

bool is_dense(const YamlNode& density) {
  const YamlNode value = density.is_map() ? density.find("density").value_or(density) : density;
  return value.as_number() == 1.0;
}

YamlNode without_sparse(const YamlNode& document, std::vector<std::string>& notes) {
  std::map<std::string, Dropped> dropped;
  YamlNode dense = document.without([&](const std::string& key, const YamlNode& value) {
    std::string name = key;
    std::ranges::replace(name, '-', '_');
    const bool densities = is_one_of(key, kDensities);
    if (!densities && !is_one_of(name, kSparseSections) && !is_one_of(name, kSparseAttributes)) return false;
    if (value.is_null() || (!value.is_scalar() && value.size() == 0) || value.as_bool() == false) return true;
    if (densities && is_dense(value)) return true;
    Dropped& kind = dropped[name];
    if (kind.count++ == 0) kind.where = fmt::format("{}:{}", value.file(), value.line());
    return true;
  });
  std::vector<std::string> kinds;
  for (const auto& [name, kind] : dropped)
    kinds.push_back(
        fmt::format("{} ({}{})", name, kind.where, kind.count == 1 ? "" : fmt::format(" and {} more", kind.count - 1)));
  if (!kinds.empty())
    notes.push_back(
        fmt::format("read as dense, so that all numbers are those of dense tensors on a dense machine; "
                    "taken out: {}",
                    join(kinds)));
  return dense;
}

}  // namespace heliolite
