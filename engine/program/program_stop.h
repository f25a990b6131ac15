#pragma once
// How work on an affine program is asked to end, by another thread. No type of isl: also for a build without it.
#include <atomic>
#include <functional>
#include <mutex>

namespace heliolite {

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
