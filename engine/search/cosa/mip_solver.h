#pragma once
// Solves mixed-integer programs with CBC, where the program was built with it.
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/types.h"
#include "engine/search/cosa/mip.h"

namespace heliolite {

// Whether this program was built with CBC; without it solve() must not be called.
bool has_mip_solver();
// What to install, as the end of a sentence.
inline constexpr std::string_view kMipSolverPackage =
    "CBC (Debian: coinor-libcbc-dev): ./heliolite --packages cosa installs it, and the program is built again";

struct MipLimits {
  std::optional<double> seconds{};     // on the clock; none: no limit
  double gap = 0;                      // an answer will do whose cost is above the least by at most this
  std::function<bool()> stopped = {};  // asked now and then: whether to return what there is; empty: never
  std::vector<double> start{};         // [column]: an answer known; the one returned costs no more. Empty: none
};

struct MipAnswer {
  bool infeasible = false;     // proven to have no answer
  bool proven = false;         // `values` are the best, or it is infeasible: no limit ended the search
  std::vector<double> values;  // [column]; empty: none was found. Integers are whole numbers.
  double value = 0;            // the cost of `values`
  double bound = 0;            // no answer costs less, but for the solver's tolerances; -infinity: nothing is known
  u64 nodes = 0;               // nodes of the search tree
};

// One thread, a fixed seed: without a limit of time the answer is the same on every run.
MipAnswer solve(const Mip& mip, const MipLimits& limits);

}  // namespace heliolite
