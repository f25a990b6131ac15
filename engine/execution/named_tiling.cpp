// Tilings as users write them, in a file or on the command line.
#include "engine/base/mapped.h"
#include "engine/execution/tiled_nest.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

Shape dimensions() { return shape::list_or_one(shape::text()); }

}  // namespace

const FieldTable& tiling_file_fields() {
  static const FieldTable table{"tiling file",
                                "Tiles of one workload for the caches that it is executed on.",
                                {required({"tiling", shape::map(tiling_fields()), "The tiling."})}};
  return table;
}

const FieldTable& tiling_fields() {
  static const FieldTable table{
      "tiling",
      "A tile for each cache, and the order of what is in the innermost one.",
      {required({"caches", shape::list(shape::map(tile_fields())), "A tile for each cache, innermost cache first."}),
       {"points", dimensions(), "The order of the loops within the innermost tile, outermost first."}}};
  return table;
}

const FieldTable& tile_fields() {
  static const FieldTable table{"tile",
                                "The tile of one cache.",
                                {required({"tile", shape::names(shape::integer(1, static_cast<i64>(kMaxDimensionSize))),
                                           "Its extent along dimensions; those not named are whole."}),
                                 {"loops", dimensions(), "The order of the loops over the tiles, outermost first."}}};
  return table;
}

namespace {

std::vector<std::string> dimension_names(const Workload& workload) { return names_of(workload.dimensions); }

std::vector<u32> whole_extents(const Workload& workload) {
  return mapped(workload.dimensions, [&](const Dimension& d) { return static_cast<u32>(d.size); });
}

// The dimension called `name`, or a complaint in words.
Result<int> dimension_called(const std::string& name, const Workload& workload) {
  if (const auto d = workload.find_dimension(name)) return *d;
  const std::vector<std::string> names = dimension_names(workload);
  return Diagnostic{
      "", 0, "", fmt::format("unknown dimension '{}'{}; dimensions: {}", name, did_you_mean(name, names), join(names))};
}

// Complains through `complain`, which puts the place before the words.
template <class Complain>
std::vector<u8> dimensions_of(const std::vector<std::string>& names, const Workload& workload, Complain complain) {
  std::vector<u8> list;
  for (const std::string& name : names) {
    const Result<int> d = dimension_called(name, workload);
    if (!d) complain(d.errors().front().message);
    else if (std::ranges::find(list, static_cast<u8>(*d)) != list.end())
      complain(fmt::format("dimension '{}' twice", name));
    else list.push_back(static_cast<u8>(*d));
  }
  return list;
}

template <class Complain>
void set_extent(std::vector<u32>& extent, const std::string& name, std::optional<i64> value, u32 most,
                const Workload& workload, Complain complain) {
  const Result<int> d = dimension_called(name, workload);
  if (!d) return complain(d.errors().front().message);
  if (!value || *value < 1 || *value > most)
    return complain(fmt::format("the tile's extent along {} must be a whole number from 1 to {}", name, most));
  extent[*d] = static_cast<u32>(*value);
}

// Reads `tiling` of a file.
class TilingReader {
 public:
  TilingReader(const Workload& workload, Diagnostics& errors) : workload_(workload), errors_(errors) {}

  NamedTiling read(const YamlNode& node) {
    NamedTiling tiling;
    FieldReader map(node, tiling_fields(), errors_);
    const auto caches = map.child("caches");
    if (caches && !caches->is_sequence())
      errors_.push_back(caches->error("must be a list of tiles, innermost cache first"));
    if (caches && caches->is_sequence())
      for (std::size_t i = 0; i < caches->size(); ++i) tiling.tiles.push_back(tile(caches->at(i)));
    for (std::size_t i = 0; errors_.empty() && i + 1 < tiling.tiles.size(); ++i)
      for (std::size_t d = 0; d < tiling.tiles[i].extent.size(); ++d)
        if (tiling.tiles[i].extent[d] > tiling.tiles[i + 1].extent[d])
          errors_.push_back(caches->at(i).error(
              fmt::format("the tile is {} long along {}, longer than that of the next cache, {}",
                          tiling.tiles[i].extent[d], workload_.dimensions[d].name, tiling.tiles[i + 1].extent[d])));
    if (const auto points = map.child("points")) tiling.points = list(*points);
    map.finish();
    return tiling;
  }

 private:
  NamedTile tile(const YamlNode& node) {
    NamedTile tile{whole_extents(workload_), {}};
    FieldReader map(node, tile_fields(), errors_);
    if (const auto extents = map.child("tile")) {
      if (!extents->is_map()) errors_.push_back(extents->error("must be a map from dimensions to extents: {M: 31}"));
      for (const std::string& name : extents->keys()) {
        const YamlNode value = *extents->find(name);
        const auto d = workload_.find_dimension(name);
        const u32 most = d ? static_cast<u32>(workload_.dimensions[*d].size) : 1;
        set_extent(tile.extent, name, value.as_integer(), most, workload_,
                   [&](const std::string& message) { errors_.push_back(value.error(message)); });
      }
    }
    if (const auto loops = map.child("loops")) tile.loops = list(*loops);
    map.finish();
    return tile;
  }

  std::vector<u8> list(const YamlNode& node) {
    const std::vector<std::string> names = mapped(elements(node), &YamlNode::text);
    return dimensions_of(names, workload_, [&](const std::string& message) { errors_.push_back(node.error(message)); });
  }

  const Workload& workload_;
  Diagnostics& errors_;
};

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> list;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

// What the loops keep in place: those that do not move a tensor, from the innermost one outwards, and the first that
// moves it if its boxes overlap along it.
TileOrder order_of(const TilingProblem& problem, std::vector<u8> inner) {
  TileOrder order;
  order.inner = std::move(inner);
  for (std::size_t v = 0; v < problem.tensors.size(); ++v) {
    const TiledTensor& tensor = problem.tensors[v];
    TileReuse& reuse = order.reuse[v];
    for (const u8 d : order.inner) {
      if (contains(tensor.indexing, d)) {
        if (contains(tensor.sliding, d) && !tensor.entangled) reuse.slides = d;
        break;
      }
      reuse.kept |= dimension_bit(d);
    }
  }
  return order;
}

// Loops over more than one tile, innermost first.
std::vector<u8> turning(const std::vector<u32>& outer, const NamedTile& tile) {
  std::vector<u8> inner;
  for (std::size_t i = tile.loops.size(); i-- > 0;)
    if (tile.extent[tile.loops[i]] < outer[tile.loops[i]]) inner.push_back(tile.loops[i]);
  for (std::size_t d = outer.size(); d-- > 0;)
    if (tile.extent[d] < outer[d] && std::ranges::find(tile.loops, static_cast<u8>(d)) == tile.loops.end())
      inner.push_back(static_cast<u8>(d));
  return inner;
}

}  // namespace

Result<NamedTiling> load_named_tiling(const std::string& path, const Workload& workload) {
  const Result<YamlNode> document = YamlNode::load_file(path);
  if (!document) return document.errors();
  Diagnostics errors;
  FieldReader map(*document, tiling_file_fields(), errors);
  NamedTiling tiling;
  if (const auto node = map.child("tiling")) tiling = TilingReader(workload, errors).read(*node);
  map.finish();
  if (!errors.empty()) return errors;
  return tiling;
}

Result<NamedTiling> parse_named_tiling(const std::string& tile, const std::string& loops, const std::string& points,
                                       const Workload& workload) {
  Diagnostics errors;
  const auto complaint = [&](const char* option, const std::string& text) {
    return [&errors, option, text](const std::string& message) {
      errors.push_back({"", 0, option, fmt::format("'{}': {}", text, message)});
    };
  };
  NamedTile named{whole_extents(workload), dimensions_of(pieces(loops), workload, complaint("--loops", loops))};
  for (const std::string& piece : pieces(tile)) {
    const std::size_t equals = std::min(piece.find('='), piece.size());
    const std::string name = piece.substr(0, equals);
    const std::optional<i64> value = parse_number<i64>(piece.substr(std::min(equals + 1, piece.size())));
    const auto d = workload.find_dimension(name);
    set_extent(named.extent, name, value, d ? static_cast<u32>(workload.dimensions[*d].size) : 1, workload,
               complaint("--tile", piece));
  }
  NamedTiling tiling{{named}, dimensions_of(pieces(points), workload, complaint("--points", points))};
  if (!errors.empty()) return errors;
  return tiling;
}

CacheTiling priced(const Workload& workload, const NamedTiling& tiling, TrafficRule rule) {
  const TilingProblem problem = tiling_problem(workload, rule);
  CacheTiling levels(tiling.tiles.size());
  std::vector<u32> outer = whole_extents(workload);
  for (std::size_t i = levels.size(); i-- > 0;) {
    levels[i].tile.fill(1);
    std::ranges::copy(tiling.tiles[i].extent, levels[i].tile.begin());
    levels[i].order = order_of(problem, turning(outer, tiling.tiles[i]));
    outer = tiling.tiles[i].extent;
  }
  price(problem, levels);
  return levels;
}

LoopNest tiled_nest(const Workload& workload, const NamedTiling& tiling) {
  LoopNest nest = tiled_nest(workload, tiling_problem(workload), priced(workload, tiling, {}));
  // The points of the tiled nest in the order that was asked for.
  LoopNestPart& part = nest.parts.front();
  std::erase_if(part.loops, [](const BoxLoop& l) { return l.level == 0; });
  std::vector<u8> order = point_order(nest);
  std::erase_if(order, [&](u8 v) { return std::ranges::find(tiling.points, v) != tiling.points.end(); });
  order.insert(order.end(), tiling.points.begin(), tiling.points.end());
  add_point_loops(part, order, tiling.tiles.empty() ? whole_extents(workload) : tiling.tiles.front().extent);
  return nest;
}

}  // namespace heliolite
