#pragma once
// Parallel loops and tasks: the only place where the searches start threads.
#include <tbb/spin_mutex.h>

#include <cstddef>
#include <functional>

namespace heliolite {

// For what threads hold for less time than it takes to wake one.
using SpinMutex = tbb::spin_mutex;

// How many threads `threads` stands for (0 = every core).
std::size_t thread_count(int threads);

// Calls body(0) .. body(count - 1) on `threads` threads (0 = every core) in any order and returns when all are done.
// Called from the body of another loop it shares that loop's threads.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

// A task to run; empty: there is none to begin at the moment.
using Task = std::function<void()>;

// Runs the tasks that `next` returns, at most `at_once` at a time, until it returns an empty one while none is running.
// `next` is called again whenever a task has ended, never from two threads at once. Loops inside the tasks share
// `threads` threads (0 = every core), so that the last tasks use them all.
void parallel_tasks(std::size_t at_once, int threads, const std::function<Task()>& next);

}  // namespace heliolite
