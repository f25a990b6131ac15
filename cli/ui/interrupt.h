#pragma once
// Ctrl-C: the first one asks the work to end with what it has, another one a moment later ends the program.
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace heliolite::cli {

inline constexpr int kInterrupted = 130;  // exit code, 128 + SIGINT as shells have it

// From the first call on, SIGINT and SIGTERM set the flag that is returned.
const std::atomic<bool>& interrupt_flag();

// What `work` returns, or nothing after Ctrl-C. For work that knows of no flag: it goes on beside the program until
// that ends, so it must hold copies of all that it uses.
template <class Work>
std::optional<std::invoke_result_t<Work>> until_interrupted(Work work);

// Whether such work may still be running: the program then ends without taking down what the work may look at.
bool work_goes_on();

// A file that goes when a signal ends the program while the object lives; at most one at a time.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const char* path);  // must outlive it
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

void leave_work_running();

template <class Work>
std::optional<std::invoke_result_t<Work>> until_interrupted(Work work) {
  using namespace std::chrono_literals;
  const std::atomic<bool>& interrupted = interrupt_flag();
  if (interrupted) return std::nullopt;
  std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
  auto answer = task.get_future();
  std::thread thread(std::move(task));
  while (answer.wait_for(20ms) != std::future_status::ready) {
    if (!interrupted) continue;
    leave_work_running();
    thread.detach();
    return std::nullopt;
  }
  thread.join();
  return answer.get();
}

}  // namespace heliolite::cli
