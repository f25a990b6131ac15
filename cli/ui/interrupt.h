#pragma once
// Ctrl-C: the first one asks the work to end with what it has, another one after a moment ends the program.
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

// Runs `work` and returns its result, or nothing after Ctrl-C. For work that does not look at the flag: it goes on
// in the background until the program ends, so that it must hold copies of all that it uses.
template <class Work>
std::optional<std::invoke_result_t<Work>> until_interrupted(Work work);

// Whether such work may still be running: the program must then end without destroying what the work may use.
bool work_goes_on();

// A file that is removed if a signal ends the program while the object lives. At most one object at a time.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const char* path);  // must outlive it
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

// Makes work_goes_on() true.
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
