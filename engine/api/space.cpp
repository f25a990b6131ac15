// Mapspaces as users of the library see them (heliolite/space.h).
#include <heliolite/space.h>

#include <utility>

#include "engine/api/inside.h"
#include "engine/base/integers.h"
#include "engine/space/mapspace.h"
#include "engine/space/mapspace_size.h"
#include "engine/space/order_trie.h"

namespace heliolite::api {
namespace {

MapspaceOptions lifted(const SpaceOptions& options) { return {.free = options.free, .open = options.open}; }

std::optional<std::string> digits(const std::optional<BigCount>& count) {
  return count ? std::optional(count->str()) : std::nullopt;
}

}  // namespace

Result<SpaceSize> space_size(const Workload& workload, const Architecture& architecture, const SpaceOptions& options) {
  const Result<Mapspace> space = resolve(Inside::of(workload), Inside::of(architecture), lifted(options));
  if (!space) return space.errors();
  const MapspaceSize size = mapspace_size(*space, {.unit_loops = options.unit_loops});
  SpaceSize out{.mappings = size.mappings.str(),
                .tilings = size.tilings.str(),
                .tilings_exact = size.tilings_exact,
                .nests = digits(size.nests),
                .dimensions = {},
                .levels = {}};
  for (std::size_t d = 0; d < size.splits.size(); ++d)
    out.dimensions.push_back({space->dimension_names[d], size.splits[d].str()});
  for (std::size_t i = 0; i < size.orders.size(); ++i)
    out.levels.push_back(
        {space->level_names[i], digits(size.unrollings[i]), size.orders[i].str(), size.keeps[i].str()});
  return out;
}

LoopOrders loop_orders(const Workload& workload) {
  const heliolite::Workload& of = Inside::of(workload);
  const OrderTrie trie = build_order_trie(infer_reuse(of));
  LoopOrders out{.orders = {}, .visited = trie.visited};
  for (const LoopOrder& order : trie.kept) {
    std::vector<std::string>& names = out.orders.emplace_back();
    for (const u8 dimension : order.loops()) names.push_back(of.dimensions[dimension].name);
  }
  return out;
}

Diagnostics outside_space(const Mapping& mapping, const SpaceOptions& options) {
  const Result<Mapspace> space =
      resolve(Inside::of(mapping.workload()), Inside::of(mapping.architecture()), lifted(options));
  return space ? violations(*space, Inside::of(mapping)) : space.errors();
}

}  // namespace heliolite::api
