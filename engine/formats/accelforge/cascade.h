#pragma once
// AccelForge's workload files as they are written: Einsums with their tensors, how each is indexed, and what the set
// expressions of renames and sizes of words mean for each of them. workload.cpp makes a network of a cascade.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/base/word_length.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/accelforge/expression.h"

namespace heliolite::accelforge {

// A sum of rank variables with factors: "p0 * 4 + r0".
struct Projection {
  std::string rank;                                // "H"
  std::vector<std::pair<u64, std::string>> terms;  // factor, variable

  bool operator==(const Projection&) const = default;
  bool is_plain() const { return terms.size() == 1 && terms[0].first == 1; }
};

struct TensorAccess {
  std::string tensor;
  std::vector<Projection> ranks;
  std::optional<WordLength> bits;  // of a value
  bool output = false;
};

struct CascadeEinsum {
  std::string name;
  YamlNode node;
  std::vector<TensorAccess> accesses;      // as written; one is the output
  std::map<std::string, u64> sizes;        // [rank variable]
  std::map<std::string, NameSet> renames;  // "weight": its tensors
  bool is_copy = false;                    // moves nothing
  u64 instances = 1;

  const TensorAccess& output() const;
};

struct Cascade {
  std::vector<CascadeEinsum> einsums;
  std::vector<std::string> notes;
};

// Positions that a rank has: 1 + sum factor * (size - 1).
u64 extent(const Projection& rank, const std::map<std::string, u64>& sizes);

// Errors, each with file, line and field: keys that are not understood or have no counterpart, Einsums that cannot be
// read, rank variables without a size, renames that do not find as many tensors as they expect.
Result<Cascade> read_cascade(const YamlNode& root);

}  // namespace heliolite::accelforge
