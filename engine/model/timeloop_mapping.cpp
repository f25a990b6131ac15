#include "engine/model/timeloop_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/mapping_check.h"
#include "engine/model/timeloop_directives.h"

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
    const u64 size = workload_.dimensions[at(dimension)].size;
    for (std::vector<NestDirective>* nests : {&said_.temporal, &said_.spatial}) {
      for (NestDirective& nest : *nests) {
        FactorWord& word = nest.factor[at(dimension)];
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
      if (architecture_.link_transfers) mapping.unlinked[i] = said_.unlinked[i];
      const NestDirective& across = said_.spatial[i];
      for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY}) {
        const bool x = kind == LoopKind::SpatialX;
        const auto middle = across.order.begin() + static_cast<std::ptrdiff_t>(across.split);
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
      const FactorWord& word = nest.factor[at(d)];
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
    for (const int d : order) used = std::min(used * nest.factor[at(d)].value, kMaxDimensionSize);
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

}  // namespace heliolite
