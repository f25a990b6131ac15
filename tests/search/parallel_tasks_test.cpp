// Tasks that are found as work goes on: how many at once, until when, and that loops inside them share their threads.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "engine/base/types.h"
#include "engine/search/core/parallel.h"

namespace heliolite::parallel_tasks_test {
namespace {

constexpr int kThreads[] = {1, 2, 8};

TEST(ParallelTasks, RunsEveryTaskOnce) {
  for (const int threads : kThreads) {
    int handed_out = 0;
    std::mutex mutex;
    std::multiset<int> done;
    parallel_tasks(4, threads, [&]() -> Task {
      if (handed_out == 100) return {};
      return [&, task = handed_out++] {
        const std::lock_guard lock(mutex);
        done.insert(task);
      };
    });
    EXPECT_EQ(done.size(), 100u);
    EXPECT_EQ(std::set<int>(done.begin(), done.end()).size(), 100u);
  }
}

TEST(ParallelTasks, KeepsToTheNumberAtOnce) {
  for (const int threads : kThreads) {
    std::atomic<int> running = 0, most = 0;
    int left = 200;
    parallel_tasks(3, threads, [&]() -> Task {
      if (left-- <= 0) return {};
      return [&] {
        const int now = ++running;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        --running;
      };
    });
    EXPECT_LE(most, 3);
    EXPECT_EQ(running, 0);
  }
}

// Tasks may come up while others end; nothing to do now does not mean nothing to do.
TEST(ParallelTasks, AsksAgainWhenATaskHasEnded) {
  for (const int threads : kThreads) {
    std::atomic<int> ended = 0;
    int begun = 0;
    parallel_tasks(8, threads, [&]() -> Task {
      if (begun == 50 || begun > ended) return {};  // one after the other
      ++begun;
      return [&] { ++ended; };
    });
    EXPECT_EQ(ended, 50);
  }
}

TEST(ParallelTasks, LoopsInsideShareTheThreads) {
  for (const int threads : kThreads) {
    std::atomic<u64> sum = 0;
    int left = 20;
    parallel_tasks(4, threads, [&]() -> Task {
      if (left-- <= 0) return {};
      return [&, threads] { parallel_for(50, threads, [&](std::size_t k) { sum += k; }); };
    });
    EXPECT_EQ(sum, 20u * 49 * 50 / 2);
  }
}

TEST(ParallelTasks, NothingToDoIsDone) {
  for (const int threads : kThreads) parallel_tasks(4, threads, [] { return Task(); });
}

}  // namespace
}  // namespace heliolite::parallel_tasks_test
