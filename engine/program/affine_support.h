#pragma once
// What of affine programs is known without isl: whether they can be read, and how work on them is asked to end.
#include <atomic>
#include <functional>
#include <mutex>
#include <string_view>

namespace heliolite {

// Whether this program can read affine programs.

// Whether this program was built with isl and GiNaC; without them, what works on affine programs answers with
// kWithoutIsl.
bool has_affine_programs();

inline constexpr std::string_view kWithoutIsl =
    "affine programs: built without isl; ./heliolite --packages affine installs it (Debian: libisl-dev, libginac-dev), "
    "and the program is built again";

// How work on an affine program is asked to end, by another thread. No type of isl: also for a build without it.

class ProgramStop {
 public:
  // At any time, more than once. The work ends within a moment, with what it has.
  void request();
  bool requested() const { return requested_; }

 private:
  friend class IslStop;
  std::mutex mutex_;
  std::atomic<bool> requested_{false};
  std::function<void()> end_;  // ends what isl is computing
};

}  // namespace heliolite
