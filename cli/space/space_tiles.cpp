#include "cli/space/space_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/map/partial_answer.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/space/tile_tree.h"

namespace heliolite::cli {
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
  const StorageLevel& here = architecture.levels[at(level)];
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
  const StorageLevel& here = architecture.levels[at(level)];
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

}  // namespace

Result<int> pick_level(const Architecture& architecture, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = architecture.levels.size(); i-- > 0;) names.push_back(architecture.levels[i].name);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<int>(names.end() - at) - 1;
  return Diagnostic{"", 0, "",
                    fmt::format("--tiles: {} has no level '{}'{}; levels: {}", architecture.name, name,
                                did_you_mean(name, names), join(names))};
}

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
