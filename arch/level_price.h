#pragma once
// Energies of a level that a file states as one number and that are nothing if it does not: their key, what they are,
// and where they stand in what was read and in the machine. Reading, inheritance, checks, fingerprints and families of
// machines go through this table.
#include <array>
#include <optional>
#include <string_view>

#include "arch/architecture.h"
#include "arch/architecture_spec.h"

namespace heliolite {

struct LevelPrice {
  std::string_view key;   // in files; ends with its unit
  std::string_view help;  // a sentence
  std::optional<double> LevelSpec::*stated;
  double StorageLevel::*price;
};

inline constexpr std::array<LevelPrice, 1> kLevelPrices{{
    {"address_generation_pj", "Energy of generating an address.", &LevelSpec::address_generation_pj,
     &StorageLevel::address_generation_pj},
}};

}  // namespace heliolite
