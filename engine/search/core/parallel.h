#pragma once
// The one place where the searches make tasks.
#include <cstddef>
#include <functional>

namespace heliolite {

// Runs body(0) .. body(count - 1) on `threads` threads (0 = every core); returns when all are done. Idle threads steal.
// Inside another loop's body it shares that loop's threads.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

// A task, or an empty function when there is none to begin now.
using Task = std::function<void()>;

// Runs the tasks that `next` hands out, at most `at_once` at a time, until it hands out none while none is running. It
// is asked again whenever a task has ended, never from two threads at once. Loops inside the tasks share their threads
// (0 = every core), so that the last tasks occupy them all.
void parallel_tasks(std::size_t at_once, int threads, const std::function<Task()>& next);

}  // namespace heliolite
