// In what two workloads or networks differ, field by field.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "workloads/network_writer.h"

namespace heliolite {
namespace {

std::string tensor_text(const Tensor& tensor, const Workload& workload) {
  std::vector<std::string> ranks;
  for (const Rank& rank : tensor.ranks) ranks.push_back(rank_text(rank, workload));
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

template <class Item, class Text>
void compare_named(const std::vector<Item>& a, const std::vector<Item>& b, const Text& text, const char* what,
                   FieldDifferences& out) {
  const auto named = [](const std::vector<Item>& items, const std::string& name) {
    return std::ranges::find(items, name, &Item::name);
  };
  for (const Item& item : a) {
    const auto other = named(b, item.name);
    const std::string there = other == b.end() ? "" : text(*other, false);
    if (text(item, true) != there) out.push_back({item.name, text(item, true), there});
  }
  for (const Item& item : b)
    if (named(a, item.name) == a.end()) out.push_back({item.name, "", text(item, false)});
  std::vector<std::string> x, y;
  for (const Item& item : a) x.push_back(item.name);
  for (const Item& item : b) y.push_back(item.name);
  if (x != y && std::ranges::is_permutation(x, y))
    out.push_back({fmt::format("order of {}", what), fmt::format("{}", fmt::join(x, ", ")),
                   fmt::format("{}", fmt::join(y, ", "))});
}

}  // namespace

FieldDifferences differences(const Workload& a, const Workload& b) {
  FieldDifferences out;
  compare_named(
      a.dimensions, b.dimensions, [](const Dimension& d, bool) { return fmt::format("{}", d.size); }, "dimensions",
      out);
  const auto text = [&](const Tensor& t, bool first) {
    const std::string size = t.word_bits ? fmt::format(", {} bits", *t.word_bits) : "";
    return fmt::format("{} ({}{})", tensor_text(t, first ? a : b), name(t.role), size);
  };
  compare_named(a.tensors, b.tensors, text, "tensors", out);
  const auto compare = [&](const char* field, const std::string& x, const std::string& y) {
    if (x != y) out.push_back({field, x, y});
  };
  compare("operation", std::string(name(a.operation)), std::string(name(b.operation)));
  compare("operations", fmt::format("{}", a.operations), fmt::format("{}", b.operations));
  compare("unit", a.unit, b.unit);
  return out;
}

FieldDifferences differences(const Network& a, const Network& b) {
  if (a.layers.size() == 1 && b.layers.size() == 1 && a.layers.front().count == b.layers.front().count)
    return differences(a.layers.front().workload, b.layers.front().workload);
  FieldDifferences out;
  const auto find = [](const Network& network, const std::string& name) {
    return std::ranges::find_if(network.layers, [&](const Layer& layer) { return layer.workload.name == name; });
  };
  for (const Layer& layer : a.layers) {
    const std::string& name = layer.workload.name;
    const auto other = find(b, name);
    if (other == b.layers.end()) {
      out.push_back({name, "layer", ""});
      continue;
    }
    if (layer.count != other->count)
      out.push_back({name + ".count", fmt::format("{}", layer.count), fmt::format("{}", other->count)});
    for (const FieldDifference& d : differences(layer.workload, other->workload))
      out.push_back({fmt::format("{}.{}", name, d.field), d.a, d.b});
  }
  for (const Layer& layer : b.layers)
    if (find(a, layer.workload.name) == a.layers.end()) out.push_back({layer.workload.name, "", "layer"});
  return out;
}

}  // namespace heliolite
