// The tiles of one level, for `heliolite space --tiles`.
#include "cli/space/space_views.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>

#include "cli/map/answer_texts.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/space/dot_graph.h"
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
    tables.emplace_back(space.size[d]);
    left[d] = static_cast<u32>(space.size[d]);
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
    const StorageLevel& level = architecture.levels[l];
    const SpatialSpace& below = space.levels[l].spatial;
    if (below.fanout() > 1)
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

int show_pruned(const std::vector<Workload>& workloads, const std::vector<const Architecture*>& chains,
                MapspaceOptions lifted, Json answer, const Output& output) {
  Table table({"<layer", "<level", "<what", "all", "kept", "pruned", "<published"});
  answer["layers"] = Json::array();
  for (std::size_t k = 0; k < workloads.size(); ++k) {
    const Workload& workload = workloads[k];
    const Architecture& chain = *chains[k];
    const Result<Mapspace> space = resolve(workload, chain, lifted);
    if (!space) return fail(space.errors());
    const auto levels = until_interrupted([=, space = *space] { return count_layer(workload, chain, space); });
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

namespace {

constexpr std::size_t kMostTiles = 200'000;  // looked at
constexpr std::size_t kMostDrawn = 20'000;   // beyond that Graphviz does not come back

struct Fates {
  std::size_t fit = 0, kept = 0, too_large = 0;
};

Fates fates(const TileTree& tree) {
  Fates n;
  for (const TileNode& node : tree.nodes) {
    n.fit += node.fate != TileFate::TooLarge;
    n.kept += node.fate == TileFate::Kept;
    n.too_large += node.fate == TileFate::TooLarge;
  }
  return n;
}

bool is_listed(const TileNode& node, bool all) {
  return node.fate == TileFate::Kept || (all && node.fate == TileFate::Inner);
}

std::string tiles_text(const TileTree& tree, const Workload& workload, const Architecture& architecture,
                       const TileQuestion& question, int level) {
  const StorageLevel& here = architecture.levels[level];
  const auto capacity = here.capacity_words();
  const Fates n = fates(tree);
  std::string text =
      fmt::format("{} on {}: {} tiles fit {}{}, {} of them cannot grow\n\n", workload.name, architecture.name, n.fit,
                  here.name, capacity ? fmt::format(" ({} words)", *capacity) : "", n.kept);
  std::vector<std::string> headings{"<tile"};
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    if (contains(tree.kept, v)) headings.push_back(workload.tensors[v].name);
  headings.push_back("words");
  if (question.all) headings.push_back("<");
  Table table(headings);
  for (const TileNode& node : tree.nodes) {
    if (!is_listed(node, question.all)) continue;
    std::vector<std::string> cells{tile_text(node.tile, workload)};
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (contains(tree.kept, v)) cells.push_back(grouped(node.words[v]));
    cells.push_back(grouped(node.kept_words));
    if (question.all) cells.push_back(node.fate == TileFate::Kept ? "" : "can grow");
    table.row(cells);
  }
  return text + table.to_string() + "  Inside the level every dimension is at one iteration.\n";
}

Json tiles_json(const TileTree& tree, const Workload& workload, const Architecture& architecture,
                const TileQuestion& question, int level) {
  const StorageLevel& here = architecture.levels[level];
  const auto capacity = here.capacity_words();
  const Fates n = fates(tree);
  Json tiles = Json::array();
  for (const TileNode& node : tree.nodes) {
    if (!is_listed(node, question.all)) continue;
    Json factors = Json::object(), words = Json::object();
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d) factors[workload.dimensions[d].name] = node.tile[d];
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (contains(tree.kept, v)) words[workload.tensors[v].name] = node.words[v];
    tiles.push_back(
        {{"factors", factors}, {"tensors", words}, {"words", node.kept_words}, {"kept", node.fate == TileFate::Kept}});
  }
  return {{"name", workload.name}, {"level", here.name}, {"capacity_words", capacity ? Json(*capacity) : Json()},
          {"fit", n.fit},          {"kept", n.kept},     {"too_large", n.too_large},
          {"tiles", tiles}};
}

// The index of the level called `name`. Errors list the levels, with a suggestion.
Result<int> pick_level(const Architecture& architecture, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = architecture.levels.size(); i-- > 0;) names.push_back(architecture.levels[i].name);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<int>(names.end() - at) - 1;
  return Diagnostic{"", 0, "",
                    fmt::format("--tiles: {} has no level '{}'{}; levels: {}", architecture.name, name,
                                did_you_mean(name, names), join(names))};
}

}  // namespace

int show_tiles(const Workload& workload, const Architecture& architecture, const Mapspace& space,
               const TileQuestion& question, Json answer, const Output& output) {
  const Result<int> level = pick_level(architecture, question.level);
  if (!level) return fail(level.errors());
  const auto built = until_interrupted(
      [=, level = *level] { return build_tile_tree(workload, architecture, space, level, kMostTiles); });
  if (!built) return write_partial_answer(output, answer, 0, 1, "layers");
  const TileTree& tree = *built;
  if (!tree.complete)
    return fail(fmt::format("--tiles: {} has more than {} tiles in {}", workload.name, kMostTiles, question.level));
  if (!question.dot.empty()) {
    if (tree.nodes.size() > kMostDrawn)
      return fail(fmt::format("--dot: {} tiles are too many for a picture, at most {}", tree.nodes.size(), kMostDrawn));
    if (!output.write("--dot", tile_tree_dot(tree, workload, architecture, *level))) return kBadInput;
  }
  output.table(tiles_text(tree, workload, architecture, question, *level));
  answer.update(tiles_json(tree, workload, architecture, question, *level));
  return write_partial_answer(output, answer, 1, 1, "layers");
}

}  // namespace heliolite::cli
