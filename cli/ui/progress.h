#pragma once
// Shows how far long work is: a bar on a terminal, a line now and then elsewhere, nothing for work that is soon done.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/ui/output.h"
#include "engine/base/types.h"

namespace heliolite::cli {

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
  void update(u64 done, std::string detail, u64 kept = 0);

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
