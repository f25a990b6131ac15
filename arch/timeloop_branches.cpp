#include "arch/timeloop_branches.h"

#include <fmt/format.h>

#include <algorithm>

namespace heliolite {
namespace {

void bypass_tensor(StorageLevel& level, const std::string& tensor) {
  if (!level.loops_allowed) return;  // a fan-out's own level keeps nothing anyway
  std::vector<std::string>& bypass = level.keep.bypass;
  if (std::ranges::find(bypass, tensor) == bypass.end()) bypass.push_back(tensor);
}

}  // namespace

void pass_by_branches(const std::vector<TimeloopBranch>& branches, std::span<TimeloopStorage> storage,
                      const YamlNode& parallel, Diagnostics& errors) {
  for (const TimeloopBranch& one : branches) {
    for (const TimeloopBranch& other : branches) {
      if (&one == &other) continue;
      for (const std::string& tensor : other.kept) {
        if (&one < &other && std::ranges::find(one.kept, tensor) != one.kept.end())
          errors.push_back(parallel.error(fmt::format("{} is kept in two branches of !Parallel", tensor)));
        for (std::size_t s = one.first; s < one.last; ++s) bypass_tensor(storage[s].level, tensor);
      }
    }
  }
}

}  // namespace heliolite
