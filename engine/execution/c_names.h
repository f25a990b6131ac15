#pragma once
// Names of a workload as C identifiers.
#include <set>
#include <string>
#include <string_view>

namespace heliolite {

// Gives each name an identifier of its own: other characters become underscores, what C or the emitted program has
// taken gets underscores at its end.
class CNames {
 public:
  CNames();
  std::string unique(std::string_view name);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace heliolite
