#pragma once
// Names of a workload as C identifiers.
#include <set>
#include <string>
#include <string_view>

namespace heliolite {

// Gives each name an identifier of its own: other characters become underscores, and names longer than a letter end in
// one, so that none is a word of C, or a function, a type or a macro of a library (malloc, EOF), now or later.
class CNames {
 public:
  std::string unique(std::string_view name);

 private:
  std::set<std::string, std::less<>> taken_{"i"};  // of the emitted program: a loop's variable
};

}  // namespace heliolite
