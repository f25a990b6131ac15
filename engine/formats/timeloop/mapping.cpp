#include "engine/formats/timeloop/mapping.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/directives.h"
#include "engine/formats/timeloop/loops.h"
#include "engine/model/keep.h"
#include "engine/model/mapping_check.h"

namespace heliolite {
namespace {

class MappingReader {
 public:
  MappingReader(const Workload& workload, const Architecture& architecture)
      : workload_(workload), architecture_(architecture) {}

  Result<Mapping> run(const YamlNode& node) {
    // Step 1. The directives, one by one.
    if (!node.is_sequence()) return node.error("must be a list of directives {target, type, factors, ..}");
    said_ = read_timeloop_directives(node, workload_, architecture_, errors_);
    if (!errors_.empty()) return errors_;
    // Step 2. Factors 0, then the loops in nest order.
    for (std::size_t d = 0; d < workload_.dimensions.size(); ++d) fill_zero(static_cast<int>(d));
    const Mapping mapping = build(node);
    if (!errors_.empty()) return errors_;
    // Step 3. Everything else that makes it a mapping of this workload.
    for (const Diagnostic& e : well_formed(mapping, workload_, architecture_))
      errors_.push_back(node.error(e.field.empty() ? e.message : e.field + ": " + e.message));
    if (!errors_.empty()) return errors_;
    return mapping;
  }

 private:
  void fill_zero(int dimension) {
    FactorWord* zero = nullptr;
    u64 others = 1;
    const u64 size = workload_.dimensions[dimension].size;
    for (std::vector<NestDirective>* nests : {&said_.temporal, &said_.spatial}) {
      for (NestDirective& nest : *nests) {
        FactorWord& word = nest.factor[dimension];
        if (word.value == 0 && zero != nullptr)
          errors_.push_back(
              word.place.error(fmt::format("{} has factor 0, the whole dimension, twice", word.dimension)));
        if (word.value == 0) zero = &word;
        else if (word.residual && *word.residual != word.value) others = 0;
        else if (others <= kMaxDimensionSize) others *= word.value;
      }
    }
    if (zero == nullptr) return;
    if (others != 0 && size % others == 0) {
      zero->value = size / others;
      zero->residual.reset();
      return;
    }
    errors_.push_back(zero->place.error(
        others == 0 ? fmt::format("{0}=0 cannot be worked out beside residual factors of {0}", zero->dimension)
                    : fmt::format("{}=0: the other factors give {}, which does not divide the size {}", zero->dimension,
                                  others, size)));
  }

  Mapping build(const YamlNode& node) {
    Mapping mapping;
    mapping.level_count = static_cast<u8>(architecture_.levels.size());
    for (std::size_t i = 0; i < architecture_.levels.size(); ++i) {
      mapping.keep[i] = said_.keep[i];
      if (architecture_.peer_channel) mapping.no_peers[i] = said_.no_peers[i];
      const NestDirective& across = said_.spatial[i];
      for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY}) {
        const bool x = kind == LoopKind::SpatialX;
        const auto middle = across.order.begin() + across.split;
        const std::vector<int> order(x ? across.order.begin() : middle, x ? middle : across.order.end());
        append(mapping, kind, i, across, order, node);
        check_fanout(across, order, i, x);
      }
      append(mapping, LoopKind::Temporal, i, said_.temporal[i], said_.temporal[i].order, node);
    }
    return mapping;
  }

  void append(Mapping& mapping, LoopKind kind, std::size_t level, const NestDirective& nest,
              const std::vector<int>& order, const YamlNode& node) {
    for (const int d : order) {
      const FactorWord& word = nest.factor[d];
      const u64 residual = word.residual.value_or(word.value);
      if (residual < 1 || residual > word.value) {
        errors_.push_back(
            word.place.error(fmt::format("{0}={1},{2}: the last tile has {2} iterations, must be from 1 to {1}",
                                         word.dimension, word.value, residual)));
      } else if (word.value > 1 && mapping.loop_count == kMaxLoops) {
        errors_.push_back(node.error(fmt::format("more than {} loops", kMaxLoops)));
        return;
      } else {
        mapping.add(kind, static_cast<int>(level), d, word.value, residual);
      }
    }
  }

  void check_fanout(const NestDirective& nest, const std::vector<int>& order, std::size_t level, bool x) {
    const StorageLevel& storage = architecture_.levels[level];
    const u64 width = x ? storage.fanout_x : storage.fanout_y;
    u64 used = 1;
    for (const int d : order) used = std::min(used * nest.factor[d].value, kMaxDimensionSize);
    if (used <= width) return;
    errors_.push_back(nest.place->error(fmt::format("factors along {} need {}, the fan-out below {} has {}",
                                                    x ? "X" : "Y", used, storage.name, width)));
  }

  const Workload& workload_;
  const Architecture& architecture_;
  TimeloopDirectives said_;
  Diagnostics errors_;
};

}  // namespace

Result<Mapping> read_timeloop_mapping(const YamlNode& node, const Workload& workload,
                                      const Architecture& architecture) {
  const YamlNode list = node.find("mapping").value_or(node);
  return MappingReader(workload, architecture).run(list);
}

// Writes mappings as Timeloop's files (mapping.h).

namespace {

class MappingWriter {
 public:
  MappingWriter(const Mapping& mapping, const Workload& workload, const Architecture& architecture,
                TimeloopVersion version)
      : mapping_(peers_said(mapping, workload, architecture)),
        workload_(workload),
        architecture_(architecture),
        tree_(version == TimeloopVersion::V03) {
    for (const Dimension& d : workload.dimensions) one_letter_ = one_letter_ && d.name.size() == 1;
  }

  Result<std::string> run() {
    out_ = "mapping:\n";
    for (std::size_t i = 0; i < architecture_.levels.size(); ++i) {
      refuse_parts(static_cast<int>(i));
      // A container is the target of spatial directives only.
      if (tree_ || !is_bare_fanout(architecture_, static_cast<int>(i))) {
        keep(i);
        nest(i, false);
      } else if (mapping_.keep[i] != 0) {
        errors_.push_back({"", 0, architecture_.levels[i].name, "keeps tensors, but is a container of v0.4 files"});
      }
      const StorageLevel& level = architecture_.levels[i];
      if (level.fanout_x * level.fanout_y > 1) nest(i, true);
      else refuse_spatial(i);
    }
    if (!errors_.empty()) return errors_;
    return out_;
  }

 private:
  void keep(std::size_t level) {
    std::vector<std::string> kept;
    std::vector<std::string> bypassed;
    for (std::size_t v = 0; v < workload_.tensors.size(); ++v)
      (mapping_.keeps(static_cast<int>(level), static_cast<int>(v)) ? kept : bypassed)
          .push_back(yaml_scalar(workload_.tensors[v].name));
    out_ += fmt::format("  - {{target: {}, type: {}, keep: [{}], bypass: [{}]}}\n",
                        yaml_scalar(architecture_.levels[level].name), tree_ ? "bypass" : "dataspace",
                        fmt::join(kept, ", "), fmt::join(bypassed, ", "));
  }

  void refuse_parts(int level) {
    if (const auto parts = parts_of(mapping_, level); parts.size() > 1)
      errors_.push_back({"", 0, architecture_.levels[level].name,
                         fmt::format("its tensors have tiles at {} places of the nest (uneven tiles): Timeloop's "
                                     "mappings have one tile for each level",
                                     parts.size())});
  }

  void refuse_spatial(std::size_t level) {
    for (const Loop& loop : mapping_.loops())
      if (loop.level == level && loop.is_spatial())
        complain(loop, "is spatial, but there is no fan-out for Timeloop to put it on");
  }

  void complain(const Loop& loop, std::string_view what) {
    errors_.push_back({"", 0, architecture_.levels[loop.level].name,
                       fmt::format("{} {}", workload_.dimensions[loop.dimension].name, what)});
  }

  // A temporal directive, or the spatial one of the fan-out below.
  void nest(std::size_t level, bool spatial) {
    std::array<const Loop*, kMaxDimensions> of{};
    std::vector<int> loops;  // innermost first, X before Y
    std::size_t along_x = 0;
    for (const Loop& loop : mapping_.loops()) {
      if (loop.level != level || loop.is_spatial() != spatial) continue;
      if (of[loop.dimension] != nullptr) {
        const bool axes = of[loop.dimension]->kind != loop.kind;
        complain(loop, axes ? "is on both axes of the fan-out: Timeloop's files have one factor for both"
                            : "has two loops here: Timeloop's files have one factor");
        continue;
      }
      of[loop.dimension] = &loop;
      loops.push_back(loop.dimension);
      if (loop.kind == LoopKind::SpatialX) ++along_x;
    }
    std::vector<std::string> factors, names;
    for (std::size_t d = 0; d < workload_.dimensions.size(); ++d) {
      const std::string& name = workload_.dimensions[d].name;
      if (of[d] == nullptr) names.push_back(name);
      const bool perfect = of[d] == nullptr || of[d]->is_perfect();
      factors.push_back(perfect ? fmt::format("{}={}", name, of[d] == nullptr ? 1 : of[d]->end)
                                : fmt::format("{}={},{}", name, of[d]->end, of[d]->residual));
    }
    const std::size_t split = names.size() + along_x;
    for (const int d : loops) names.push_back(workload_.dimensions[d].name);
    const StorageLevel& storage = architecture_.levels[level];
    const std::string& target = spatial && !storage.fanout_name.empty() ? storage.fanout_name : storage.name;
    out_ += fmt::format("  - {{target: {}, type: {}, factors: {}, permutation: {}{}{}}}\n", yaml_scalar(target),
                        spatial ? "spatial" : "temporal", factor_list(factors), permutation(names),
                        spatial ? fmt::format(", split: {}", split) : "", spatial ? no_peers(level) : "");
  }

  // The tensors that take no words from peers here.
  std::string no_peers(std::size_t level) const {
    std::vector<std::string> names;
    for (const int v : bits(mapping_.no_peers[level])) names.push_back(workload_.tensors[v].name);
    return names.empty() ? "" : ", " + timeloop_no_peers_text(names);
  }

  // Strings for Timeloop itself, lists for the front end of v0.4.
  std::string factor_list(std::vector<std::string> words) const {
    if (tree_) return fmt::format("\"{}\"", fmt::join(words, " "));
    for (std::string& word : words) word = yaml_scalar(word);
    return fmt::format("[{}]", fmt::join(words, ", "));
  }

  std::string permutation(const std::vector<std::string>& names) const {
    if (tree_ && one_letter_) return fmt::format("{}", fmt::join(names, ""));
    return fmt::format("[{}]", fmt::join(names, ", "));
  }

  const Mapping mapping_;
  const Workload& workload_;
  const Architecture& architecture_;
  const bool tree_;
  bool one_letter_ = true;
  std::string out_;
  Diagnostics errors_;
};

}  // namespace

Result<std::string> write_timeloop_mapping(const Mapping& mapping, const Workload& workload,
                                           const Architecture& architecture, TimeloopVersion version) {
  return MappingWriter(mapping, workload, architecture, version).run();
}

}  // namespace heliolite
