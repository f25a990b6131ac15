#pragma once
// Long work as its user sees it: Ctrl-C, the first of which asks the work to end with what it has and another one after
// a moment ends the program; and how far it is: a bar on a terminal, a line now and then elsewhere, nothing for work
// that is soon done.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/base/types.h"

namespace heliolite::cli {

class Output;

inline constexpr int kInterrupted = 130;  // exit code, 128 + SIGINT as shells have it

// From the first call on, SIGINT and SIGTERM set the flag that is returned.
const std::atomic<bool>& interrupt_flag();

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

// Runs work that ends by itself, with what it has, soon after `request()`, which is called from another thread: after
// Ctrl-C, or when `seconds` have passed. Nothing if it goes on all the same
// for longer than `to_end`: then in the background until the program ends, so that it must hold copies of all that it
// uses.
template <class Work, class Request>
std::optional<std::invoke_result_t<Work>> until_stopped(
    Work work, Request request, std::optional<double> seconds,
    std::chrono::milliseconds to_end = std::chrono::milliseconds(350)) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  const std::atomic<bool>& interrupted = interrupt_flag();
  if (interrupted) return std::nullopt;
  const Clock::time_point begin = Clock::now();
  std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
  auto answer = task.get_future();
  std::thread thread(std::move(task));
  std::optional<Clock::time_point> asked;
  while (answer.wait_for(10ms) != std::future_status::ready) {
    const Clock::time_point now = Clock::now();
    const bool over = seconds && std::chrono::duration<double>(now - begin).count() >= *seconds;
    if (!asked && (interrupted || over)) {
      request();
      asked = now;
    }
    if (!asked || now - *asked < to_end) continue;
    leave_work_running();
    thread.detach();
    return std::nullopt;
  }
  thread.join();
  return answer.get();
}

// Runs `work`, which does not look at the flag, and returns its result, or nothing soon after Ctrl-C: then it goes on
// in the background, as above.
template <class Work>
std::optional<std::invoke_result_t<Work>> until_interrupted(Work work) {
  return until_stopped(std::move(work), [] {}, {}, {});
}

// A hint for a user who waits at a terminal, printed once, on a line of its own.
struct ProgressHint {
  std::string text{};
  std::chrono::milliseconds after = std::chrono::seconds(30);
};

// The progress of one piece of work while the object lives.
class Progress {
 public:
  // `unit` names what is counted, "records"; `of`: how many there are. Writes to stderr, unless --quiet.
  Progress(const Output& output, std::string unit, u64 of, ProgressHint hint = {});
  ~Progress();  // the bar disappears
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // May be called from any thread. `detail` is shown behind the numbers. `kept` of the `done` ones took no time: the
  // rate shown is that of the others.
  void update(u64 done, const std::string& detail, u64 kept = 0);

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  std::string numbers(double elapsed) const;
  void draw(double elapsed);
  std::string bar(std::size_t text) const;
  std::string hint(double elapsed);  // empty until its time has come, and again afterwards

  const std::string unit_;
  const u64 of_;
  ProgressHint hint_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  bool drawn_ = false;
  u64 done_ = 0;
  u64 kept_ = 0;
  std::string detail_;
  std::thread ticker_;
};

}  // namespace heliolite::cli
