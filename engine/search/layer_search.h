#pragma once
// One layer on one machine, prepared once and searched per keep choice: the unit of parallel work.
#include <memory>
#include <vector>

#include "engine/search/compulsory.h"
#include "engine/search/map.h"
#include "engine/search/refine.h"
#include "engine/space/mapspace.h"
#include "engine/space/order_trie.h"

namespace heliolite {

class LayerSearch {
 public:
  // Errors: constraints that name what the workload does not have.
  static Result<LayerSearch> create(const Workload& workload, const Architecture& architecture,
                                    const SearchOptions& options);

  // Which level keeps which tensor: every way to decide what the machine leaves open, up to kMaxKeepChoices; beyond
  // that a few starts, from which the climbs flip single choices.
  static constexpr std::size_t kMaxKeepChoices = 64;
  std::size_t keep_choices() const { return keep_.size(); }

  struct Answer {
    bool found = false;
    Candidate best;
    Mapping mapping;
    SearchStatistics statistics;
  };
  Answer search(std::size_t keep_choice) const;

  // The best of all answers, in canonical order; certificate and reasons included.
  MappingResult conclude(const std::vector<Answer>& answers) const;

 private:
  LayerSearch(const Workload& workload, const Architecture& architecture, const SearchOptions& options, Mapspace space);

  void list_keep_choices();
  std::array<TensorMask, kMaxLevels> with_room(std::array<TensorMask, kMaxLevels> keep, int first) const;
  Diagnostics why_infeasible() const;

  Workload workload_;
  Architecture architecture_;
  SearchOptions options_;
  std::unique_ptr<Mapspace> space_;             // on the heap: ladders refer to it
  std::vector<std::vector<LoopOrder>> orders_;  // by level
  RuleCounts order_counts_;
  std::vector<std::array<TensorMask, kMaxLevels>> keep_;
};

}  // namespace heliolite
