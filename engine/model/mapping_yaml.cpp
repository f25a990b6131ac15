#include "engine/model/mapping_yaml.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"
#include "engine/model/running_units.h"

namespace heliolite {

namespace {

// A level is listed once, or once for each of its parts, which have places of their own in the nest (uneven tiles).
struct ListedPart {
  TensorMask keep = 0;
  bool names_keep = false;
  std::vector<ListedFactor> temporal;
};

// One level of the file, parts and loops outermost first as written.
struct ListedLevel {
  std::vector<ListedPart> parts;
  std::vector<ListedFactor> y, x;
  TensorMask no_peers = 0;

  bool listed() const { return !parts.empty(); }
};

class Reader {
 public:
  Reader(const Workload& workload, const Architecture& architecture)
      : workload_(workload), architecture_(architecture), nest_(architecture.levels.size()) {}

  Result<Mapping> read(const YamlNode& levels) {
    if (!levels.is_sequence())
      return levels.error(
          "must be a list of levels, outermost first: - {level: NAME, keep: [..], temporal: [K: 4, ..]}");
    int previous = static_cast<int>(nest_.size());
    for (std::size_t i = 0; i < levels.size(); ++i) read_level(levels.at(i), previous);
    if (errors_.empty()) check_products(levels);
    if (errors_.empty()) check_residuals(levels);
    if (!errors_.empty()) return errors_;
    return build(levels);
  }

 private:
  void read_level(const YamlNode& node, int& previous) {
    FieldReader map(node, mapping_level_fields(), errors_);
    const auto name = map.string("level");
    const auto keep = map.child("keep");
    const auto temporal = map.child("temporal");
    const auto spatial = map.child("spatial");
    map.finish();
    if (!name) return;
    const std::optional<int> level = architecture_.find_level(*name);
    if (!level) return unknown(*map.child("level"), "level", *name, names_of(architecture_.levels));
    ListedLevel& nest = nest_[*level];
    if (*level > previous)
      complain(node, fmt::format("levels are listed outermost first: {} comes before {}", *name,
                                 architecture_.levels[previous].name));
    previous = *level;
    ListedPart part;
    part.names_keep = keep.has_value();
    part.keep = keep ? read_keep(*keep) : default_keep(architecture_, *level, workload_);
    const bool outermost = *level + 1 == static_cast<int>(nest_.size());
    if (keep && outermost && part.keep != all_tensors())
      complain(*keep, fmt::format("{} is the outermost level, it keeps every tensor", *name));
    if (nest.listed()) check_part(node, *name, nest, part);
    if (temporal) part.temporal = read_temporal(*temporal, *level);
    if (spatial) read_spatial(*spatial, *level, nest);
    nest.parts.push_back(std::move(part));
  }

  // A further part of a level: inside those listed before.
  void check_part(const YamlNode& node, const std::string& name, const ListedLevel& before, const ListedPart& part) {
    if (!before.parts.back().names_keep || !part.names_keep)
      return complain(node, fmt::format("level {} is listed twice; parts of a level, whose tensors have tiles of "
                                        "their own, each say which they `keep`",
                                        name));
    if (before.parts.back().keep == 0 || part.keep == 0)
      complain(node, fmt::format("a part of {} keeps nothing; only a level of one part may", name));
    for (const ListedPart& other : before.parts)
      for (const int v : bits(static_cast<TensorMask>(other.keep & part.keep)))
        complain(node, fmt::format("{} keeps {} in two of its parts", name, workload_.tensors[v].name));
    if (!before.x.empty() || !before.y.empty())
      complain(node, fmt::format("the fan-out below {} belongs to its innermost part, the last one listed", name));
  }

  TensorMask all_tensors() const { return static_cast<TensorMask>((1u << workload_.tensors.size()) - 1); }

  TensorMask read_keep(const YamlNode& node) {
    if (node.is_scalar() && lower(node.text()) == "all") return all_tensors();
    if (node.is_null()) return 0;
    if (!node.is_sequence()) {
      complain(node, "must be 'all' or a list of tensors, e.g. [" + join(names_of(workload_.tensors), ",") + "]");
      return 0;
    }
    TensorMask mask = 0;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const YamlNode item = node.at(i);
      if (!item.is_scalar()) complain(item, "must be a tensor's name");
      else if (const auto v = workload_.find_tensor(item.text())) mask = static_cast<TensorMask>(mask | 1u << *v);
      else unknown(item, "tensor", item.text(), names_of(workload_.tensors));
    }
    return mask;
  }

  std::vector<ListedFactor> read_temporal(const YamlNode& node, int level) {
    const StorageLevel& l = architecture_.levels[level];
    std::vector<ListedFactor> loops = read_loops(node, l.name + " temporal", workload_, errors_);
    if (!l.loops_allowed && !loops.empty())
      complain(node,
               fmt::format("{} is part of a split level; its loops belong to the level's innermost part", l.name));
    return loops;
  }

  void read_spatial(const YamlNode& node, int level, ListedLevel& nest) {
    const StorageLevel& l = architecture_.levels[level];
    FieldReader map(node, mapping_fanout_fields(), errors_);
    const auto x = map.child("x");
    const auto y = map.child("y");
    const auto no_peers = map.child(kPeerChannel.excludes);
    map.finish();
    if (no_peers) nest.no_peers = read_keep(*no_peers);
    if (x) nest.x = read_axis(*x, l.name + " x", l.fanout_x);
    if (y) nest.y = read_axis(*y, l.name + " y", l.fanout_y);
  }

  std::vector<ListedFactor> read_axis(const YamlNode& node, const std::string& where, u64 width) {
    std::vector<ListedFactor> factors = read_loops(node, where, workload_, errors_);
    u64 used = 1;
    std::vector<std::string> parts;
    for (const ListedFactor& f : factors) {
      used = saturating_product(used, f.end);
      parts.push_back(fmt::format("{} {}", workload_.dimensions[f.dimension].name, f.end));
    }
    if (used > width)
      complain(node, fmt::format("spatial factors {} need {} units, but {} has {}", fmt::join(parts, " * "), used,
                                 where, width));
    return factors;
  }

  // All factors of a dimension, outermost first.
  std::vector<ListedFactor> factors_of(int dimension) const {
    std::vector<ListedFactor> all;
    const auto add = [&](const std::vector<ListedFactor>& loops) {
      for (const ListedFactor& f : loops)
        if (f.dimension == dimension) all.push_back(f);
    };
    for (auto level = nest_.rbegin(); level != nest_.rend(); ++level) {
      for (const ListedPart& part : level->parts) add(part.temporal);
      add(level->y), add(level->x);
    }
    return all;
  }

  void check_products(const YamlNode& node) {
    for (int d = 0; d < static_cast<int>(workload_.dimensions.size()); ++d) {
      std::string message = product_complaint(workload_.dimensions[d], factors_of(d));
      if (!message.empty()) complain(node, std::move(message));
    }
  }

  // A spatial loop can run shorter only in the last iteration of an outer loop of its dimension.
  void check_residuals(const YamlNode& node) {
    for (int d = 0; d < static_cast<int>(workload_.dimensions.size()); ++d) {
      const std::vector<ListedFactor> factors = factors_of(d);
      const auto first = std::find_if(factors.begin(), factors.end(), [](const ListedFactor& f) { return f.end > 1; });
      if (first == factors.end() || first->end == first->residual || first->where.ends_with(" temporal")) continue;
      complain(node, fmt::format("{} of dimension {} has a shorter last tile, which needs a loop of {} outside it",
                                 text(*first), workload_.dimensions[d].name, workload_.dimensions[d].name));
    }
  }

  Result<Mapping> build(const YamlNode& node) const {
    Mapping mapping;
    mapping.level_count = static_cast<u8>(nest_.size());
    const auto count = [](const std::vector<ListedFactor>& factors) {
      return std::count_if(factors.begin(), factors.end(), [](const ListedFactor& f) { return f.end > 1; });
    };
    std::ptrdiff_t loops = 0;
    for (const ListedLevel& level : nest_) {
      loops += count(level.x) + count(level.y);
      for (const ListedPart& part : level.parts) loops += count(part.temporal);
    }
    if (loops > kMaxLoops) return node.error(fmt::format("has {} loops, at most {} are possible", loops, kMaxLoops));
    for (int i = 0; i < static_cast<int>(nest_.size()); ++i) {
      const ListedLevel& level = nest_[i];
      if (!level.listed()) mapping.keep[i] = default_keep(architecture_, i, workload_);
      const auto append = [&](LoopKind kind, const std::vector<ListedFactor>& factors) {
        for (auto f = factors.rbegin(); f != factors.rend(); ++f)
          mapping.add(kind, i, f->dimension, f->end, f->residual);
      };
      append(LoopKind::SpatialX, level.x);
      append(LoopKind::SpatialY, level.y);
      for (auto part = level.parts.rbegin(); part != level.parts.rend(); ++part)
        append(LoopKind::Temporal, part->temporal);
      mapping.no_peers[i] = level.no_peers;
      u8 outside = 0;
      for (const ListedPart& part : level.parts) {
        mapping.keep[i] |= part.keep;
        for (const int v : bits(part.keep)) mapping.outside[i][v] = outside;
        outside = static_cast<u8>(outside + count(part.temporal));
      }
    }
    return mapping;
  }

  void complain(const YamlNode& node, std::string message) { errors_.push_back(node.error(std::move(message))); }

  void unknown(const YamlNode& node, std::string_view what, const std::string& name,
               const std::vector<std::string>& known) {
    errors_.push_back(unknown_name(node, what, name, known));
  }

  const Workload& workload_;
  const Architecture& architecture_;
  std::vector<ListedLevel> nest_;  // innermost first
  Diagnostics errors_;
};

}  // namespace

Result<Mapping> read_mapping(const YamlNode& levels, const Workload& workload, const Architecture& architecture) {
  return Reader(workload, architecture).read(levels);
}

// Writes mappings in our own format (mapping_yaml.h).

namespace {

// "[K: 4, C: [3, 2]]", outermost first, of the loops [first, last) that are of the kind; "" without loops.
std::string loops_text(const Mapping& mapping, const Workload& workload, int first, int last, LoopKind kind) {
  std::vector<std::string> parts;
  for (int k = last; k-- > first;) {
    const Loop& loop = mapping.loop[k];
    if (loop.kind != kind) continue;
    const std::string name = yaml_scalar(workload.dimensions[loop.dimension].name);
    parts.push_back(loop.is_perfect() ? fmt::format("{}: {}", name, loop.end)
                                      : fmt::format("{}: [{}, {}]", name, loop.end, loop.residual));
  }
  return parts.empty() ? "" : fmt::format("[{}]", fmt::join(parts, ", "));
}

// The loops [first, last) over the fan-out below a level, and the tensors that no peer passes on there; "" without any.
std::string spatial_text(const Mapping& mapping, const Workload& workload, int level, int first, int last) {
  std::vector<std::string> parts;
  if (const std::string x = loops_text(mapping, workload, first, last, LoopKind::SpatialX); !x.empty())
    parts.push_back("x: " + x);
  if (const std::string y = loops_text(mapping, workload, first, last, LoopKind::SpatialY); !y.empty())
    parts.push_back("y: " + y);
  std::vector<std::string> no_peers;
  for (const int v : bits(mapping.no_peers[level])) no_peers.push_back(yaml_scalar(workload.tensors[v].name));
  if (!no_peers.empty()) parts.push_back(fmt::format("{}: [{}]", kPeerChannel.excludes, fmt::join(no_peers, ", ")));
  return parts.empty() ? "" : fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

std::string write_levels(const Mapping& mapping, const Workload& workload, const Architecture& architecture,
                         const std::string& margin) {
  std::string out;
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    const std::vector<LevelPart> parts = parts_of(mapping, i);
    for (const LevelPart& part : parts) {
      std::vector<std::string> kept;
      for (const int v : bits(part.keep)) kept.push_back(yaml_scalar(workload.tensors[v].name));
      out += fmt::format("{0}- level: {1}\n{0}  keep: [{2}]\n", margin, yaml_scalar(architecture.levels[i].name),
                         fmt::join(kept, ", "));
      const std::string temporal = loops_text(mapping, workload, part.first, part.last, LoopKind::Temporal);
      if (!temporal.empty()) out += fmt::format("{}  temporal: {}\n", margin, temporal);
    }
    const std::string spatial = spatial_text(mapping, workload, i, first_loop(mapping, i), parts.back().first);
    if (!spatial.empty()) out += fmt::format("{}  spatial: {}\n", margin, spatial);
  }
  return out;
}

std::string write_mapping(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  std::string out = "# Outermost level and outermost loop first; spatial: the fan-out below the level.\n";
  out += fmt::format("workload: {}\narchitecture: {}\n", yaml_scalar(workload.name), yaml_scalar(architecture.name));
  if (is_one_of_several_units(architecture)) out += fmt::format("unit: {}\n", yaml_scalar(architecture.compute.name));
  return out + "mapping:\n" + write_levels(mapping, workload, architecture, "  ");
}

// In what two mappings of one workload on one machine differ, level by level, and what that costs where.

namespace {

// "K4 C2", outermost first; "-" without loops.
std::string nest_of(const Mapping& mapping, const Workload& workload, int level, LoopKind kind) {
  std::vector<std::string> words;
  for (int k = mapping.loop_count; k-- > 0;) {
    const Loop& loop = mapping.loop[k];
    if (loop.level != level || loop.kind != kind) continue;
    const std::string& name = workload.dimensions[loop.dimension].name;
    words.push_back(loop.is_perfect() ? fmt::format("{}={}", name, loop.end)
                                      : fmt::format("{}={},{}", name, loop.end, loop.residual));
  }
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, " "));
}

// "A, B / Z": of uneven tiles the tensors of each part, the outermost first.
std::string kept_by(const Mapping& mapping, const Workload& workload, int level) {
  std::vector<std::string> parts;
  for (const LevelPart& part : parts_of(mapping, level)) {
    std::vector<std::string> names;
    for (const int v : bits(part.keep)) names.push_back(workload.tensors[v].name);
    parts.push_back(names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, " / "));
}

}  // namespace

FieldDifferences differences(const Mapping& a, const Mapping& b, const Workload& workload,
                             const Architecture& architecture) {
  FieldDifferences out;
  for (int i = static_cast<int>(architecture.levels.size()) - 1; i >= 0; --i) {
    const std::string& level = architecture.levels[i].name;
    const auto add = [&](const char* what, std::string x, std::string y) {
      if (x != y) out.push_back({fmt::format("{}.{}", level, what), std::move(x), std::move(y)});
    };
    add("keep", kept_by(a, workload, i), kept_by(b, workload, i));
    add("temporal", nest_of(a, workload, i, LoopKind::Temporal), nest_of(b, workload, i, LoopKind::Temporal));
    add("spatial x", nest_of(a, workload, i, LoopKind::SpatialX), nest_of(b, workload, i, LoopKind::SpatialX));
    add("spatial y", nest_of(a, workload, i, LoopKind::SpatialY), nest_of(b, workload, i, LoopKind::SpatialY));
  }
  return out;
}

}  // namespace heliolite
