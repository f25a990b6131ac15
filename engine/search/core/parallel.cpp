#include "engine/search/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#ifdef HELIOLITE_TSAN
// Debian's libtbb is not built for ThreadSanitizer, which therefore does not see how tasks are ordered. This file is
// compiled without it and states the order: everything before the loop, then each body, then everything after.
#include <sanitizer/tsan_interface.h>
#define HELIOLITE_HAPPENS_BEFORE(address) __tsan_release(address)
#define HELIOLITE_HAPPENS_AFTER(address) __tsan_acquire(address)
#else
#define HELIOLITE_HAPPENS_BEFORE(address)
#define HELIOLITE_HAPPENS_AFTER(address)
#endif

namespace heliolite {
namespace {

thread_local bool inside_loop = false;

// The threads of loops with so many of them: making and leaving an arena takes hundreds of microseconds, entering one
// that is there takes one.
tbb::task_arena& arena_of(int threads) {
  static std::mutex mutex;
  static std::map<int, tbb::task_arena> arenas;
  constexpr int kEveryCore = tbb::task_arena::automatic;
  const std::lock_guard lock(mutex);
  return arenas.try_emplace(threads, threads > 0 ? threads : kEveryCore).first->second;
}

// Runs `work` on the calling thread and others, `threads` in all. More threads than cores are allowed: asking for them
// must not change anything but the time.
void in_arena(int threads, const std::function<void()>& work) {
  std::optional<tbb::global_control> allowed;
  if (threads > tbb::this_task_arena::max_concurrency())
    allowed.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  // A thread that waits here must not take up a task of somebody else's loop, which may last for minutes.
  arena_of(threads).execute([&] { tbb::this_task_arena::isolate(work); });
}

// The tasks of one parallel_tasks().
class TaskPump {
 public:
  TaskPump(std::size_t at_once, const std::function<Task()>& next) : at_once_(at_once), next_(next) {}

  void run() {
    start_more();
    group_.wait();
    HELIOLITE_HAPPENS_AFTER(this);
  }

 private:
  void start_more() {
    const std::lock_guard lock(mutex_);
    HELIOLITE_HAPPENS_AFTER(this);
    while (running_ < at_once_) {
      Task task = next_();
      if (!task) break;
      ++running_;
      HELIOLITE_HAPPENS_BEFORE(this);
      group_.run([this, task = std::move(task)] { run(task); });
    }
    HELIOLITE_HAPPENS_BEFORE(this);
  }

  void run(const Task& task) {
    HELIOLITE_HAPPENS_AFTER(this);
    const bool was_inside = std::exchange(inside_loop, true);
    task();
    inside_loop = was_inside;
    HELIOLITE_HAPPENS_BEFORE(this);
    {
      const std::lock_guard lock(mutex_);
      --running_;
    }
    start_more();
    HELIOLITE_HAPPENS_BEFORE(this);  // the lock was given back
  }

  const std::size_t at_once_;
  const std::function<Task()>& next_;
  std::mutex mutex_;
  std::size_t running_ = 0;
  tbb::task_group group_;
};

}  // namespace

std::size_t thread_count(int threads) {
  return static_cast<std::size_t>(threads > 0 ? threads : tbb::info::default_concurrency());
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  if (threads == 1 || count <= 1) {
    for (std::size_t k = 0; k < count; ++k) body(k);
    return;
  }
  [[maybe_unused]] char begin = 0;
  [[maybe_unused]] char end = 0;
  HELIOLITE_HAPPENS_BEFORE(&begin);
  const auto loop = [&] {
    // Searches differ in length by orders of magnitude: one task each, no chunks.
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          HELIOLITE_HAPPENS_AFTER(&begin);
          const bool was_inside = std::exchange(inside_loop, true);
          for (std::size_t k = range.begin(); k != range.end(); ++k) body(k);
          inside_loop = was_inside;
          HELIOLITE_HAPPENS_BEFORE(&end);
        },
        tbb::simple_partitioner{});
  };
  if (inside_loop) tbb::this_task_arena::isolate(loop);
  else in_arena(threads, loop);
  HELIOLITE_HAPPENS_AFTER(&end);
}

void parallel_tasks(std::size_t at_once, int threads, const std::function<Task()>& next) {
  if (threads == 1) {
    while (const Task task = next()) task();
    return;
  }
  TaskPump pump(at_once, next);
  in_arena(threads, [&] { pump.run(); });
}

}  // namespace heliolite
