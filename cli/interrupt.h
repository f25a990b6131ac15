#pragma once
// Ctrl-C: the first one asks the work to end with what it has, the second one ends the program.
#include <atomic>

namespace heliolite::cli {

inline constexpr int kInterrupted = 130;  // exit code, 128 + SIGINT as shells have it

// From the first call on, SIGINT and SIGTERM set the flag that is returned.
const std::atomic<bool>& interrupt_flag();

// A file that goes when a signal ends the program while the object lives; at most one at a time.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const char* path);  // must outlive it
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

}  // namespace heliolite::cli
