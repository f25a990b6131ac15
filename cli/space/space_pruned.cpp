#include "cli/space/space_pruned.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "cli/map/partial_answer.h"
#include "cli/ui/command.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/table.h"
#include "engine/space/tile_tree.h"
#include "engine/space/unrolling.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kMostTilesCounted = 300'000;  // of one level

// How many there are and how many the rules leave.
struct PrunedCount {
  u64 all = 0, kept = 0;

  double share() const { return all == 0 ? 0 : 1 - static_cast<double>(kept) / static_cast<double>(all); }
};

// What the rules leave out at one level, or below it.
struct PrunedLevel {
  std::string level, what;           // "tiles" or "unrollings below"
  std::string published;             // share that the thesis states
  std::optional<PrunedCount> count;  // none: more than kMostTilesCounted
};

// Ng, "Analytically Driven Software/Hardware Co-Design for Accelerating Tensor Workloads", UBC 2022, 4.5, 4.6 and 4.8.
constexpr const char *kInnerTiles = "up to 80 %", *kUnrollings = "up to 90 %", *kOuterTiles = "50 to 90 %";

PrunedCount count_unrollings(const Workload& workload, const Mapspace& space, int level) {
  std::vector<DivisorTable> tables;
  Extents left = unit_extents();
  for (int d = 0; d < space.dimension_count; ++d) {
    tables.emplace_back(space.size[at(d)]);
    left[at(d)] = static_cast<u32>(space.size[at(d)]);
  }
  const UnrollingSpace fanout = make_unrolling_space(tables, left, space, level, workload);
  const auto given = [&](UnrollingRules rules) {
    return for_each_unrolling(fanout, rules, [](const Unrolling&) {}).unrollings;
  };
  return {given({false, false, false}), given({})};
}

std::vector<PrunedLevel> count_layer(const Workload& workload, const Architecture& architecture,
                                     const Mapspace& space) {
  std::vector<PrunedLevel> levels;
  bool innermost = true;
  for (int l = 0; l < static_cast<int>(architecture.levels.size()); ++l) {
    const StorageLevel& level = architecture.levels[at(l)];
    const SpatialSpace& below = space.levels[at(l)].spatial;
    if (below.fanout_x * below.fanout_y > 1)
      levels.push_back({level.name, "unrollings below", kUnrollings, count_unrollings(workload, space, l)});
    if (!level.capacity_words()) continue;
    PrunedLevel tiles{level.name, "tiles", innermost ? kInnerTiles : kOuterTiles, std::nullopt};
    innermost = false;
    const TileTree tree = build_tile_tree(workload, architecture, space, l, kMostTilesCounted);
    if (tree.complete) {
      tiles.count = PrunedCount{};
      for (const TileNode& node : tree.nodes) {
        tiles.count->all += node.fate != TileFate::TooLarge ? 1 : 0;
        tiles.count->kept += node.fate == TileFate::Kept ? 1 : 0;
      }
    }
    levels.push_back(std::move(tiles));
  }
  return levels;
}

}  // namespace

int show_pruned(const std::vector<Workload>& workloads, const Architecture& architecture, MapspaceOptions lifted,
                Json answer, const Output& output) {
  Table table({"<layer", "<level", "<what", "all", "kept", "pruned", "<published"});
  answer["layers"] = Json::array();
  for (const Workload& workload : workloads) {
    const Result<Mapspace> space = resolve(workload, architecture, lifted);
    if (!space) return fail(space.errors());
    const auto levels = until_interrupted([=, space = *space] { return count_layer(workload, architecture, space); });
    if (!levels) break;
    Json rows = Json::array();
    for (const PrunedLevel& level : *levels) {
      table.row({workload.name, level.level, level.what,
                 level.count ? grouped(level.count->all) : "above " + grouped(kMostTilesCounted),
                 level.count ? grouped(level.count->kept) : "-",
                 level.count ? fmt::format("{:.1f} %", 100 * level.count->share()) : "-", level.published});
      rows.push_back({{"level", level.level},
                      {"what", level.what},
                      {"all", level.count ? Json(level.count->all) : Json()},
                      {"kept", level.count ? Json(level.count->kept) : Json()},
                      {"pruned", level.count ? Json(level.count->share()) : Json()}});
    }
    answer["layers"].push_back({{"name", workload.name}, {"rules", rows}});
  }
  output.table(table.to_string() +
               "  Tiles of a level alone, nothing unrolled; unrollings of the whole layer over one fan-out.\n");
  return write_partial_answer(output, answer, answer["layers"].size(), workloads.size(), "layers");
}

}  // namespace heliolite::cli
