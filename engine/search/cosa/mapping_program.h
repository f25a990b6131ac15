#pragma once
// A mixed-integer program whose answers are mappings: what all variants of the strategy have in common.
#include <span>
#include <vector>

#include "engine/search/core/layer_problem.h"
#include "engine/search/cosa/factor_columns.h"
#include "engine/search/cosa/mip.h"
#include "engine/space/nest_writer.h"

namespace heliolite {

// What levels keep where a program leaves no choice: what they must; of what is open only a level that need not keep
// anything takes all.
KeepMasks usual_keep(const Mapspace& space);

class MappingProgram {
 public:
  // Of mappings that keep these tensors. The problem must outlive the program.
  MappingProgram(const LayerProblem& problem, const KeepMasks& keep)
      : problem_(problem), keep_(keep), factors_(problem.space, mip_) {}
  virtual ~MappingProgram() = default;
  MappingProgram(const MappingProgram&) = delete;
  MappingProgram& operator=(const MappingProgram&) = delete;

  const Mip& mip() const { return mip_; }
  // The mapping that an answer of the program says.
  Mapping mapping(std::span<const double> values) const;

 protected:
  // The dimensions of level i's temporal loops, innermost first, those of one iteration included.
  virtual std::vector<u8> order(int i, std::span<const double> values) const = 0;

  const Mapspace& space() const { return problem_.space; }
  const Compiled& compiled() const { return problem_.model.compiled(); }
  const std::string& level_name(int i) const { return space().level_names[at(i)]; }
  bool keeps(int i, int v) const { return contains(keep_[at(i)], v); }
  bool moves(int d, int v) const { return contains(compiled().tensor[at(v)].indexing, d); }
  // Whether the machine gives level i less room than all tensors need.
  bool is_limited(int i) const { return !compiled().level[at(i)].holds_all(); }
  // The tile of level i that these factors make.
  Extents tile(const PlaceFactors& factors, int i) const;

  const LayerProblem& problem_;
  KeepMasks keep_;
  Mip mip_;
  FactorColumns factors_;
};

}  // namespace heliolite
