#pragma once
// Long work apart from the interpreter: on threads of its own, while the thread that called from Python waits without
// the global lock, passes on news and looks for Ctrl-C.
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace heliolite::python {

namespace py = pybind11;

// News from the threads of a search on their way to a function of Python's, which only the waiting thread may call.
template <class News>
class Mailbox {
 public:
  void post(News news) {
    const std::lock_guard lock(mutex_);
    news_.push_back(std::move(news));
  }
  std::vector<News> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<News> news_;
};

// What work came to, and the exception that ended it early: KeyboardInterrupt, or what a function of Python's raised.
template <class T>
struct Outcome {
  T value;
  py::object raised = py::none();
};

// Throws what a signal handler of Python's raises; only the main thread of the interpreter has any.
inline void look_for_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

inline constexpr std::chrono::milliseconds kLook{20};  // from one look at news and signals to the next

// Runs `work` until it is done. `look`, called by this thread with the lock held, passes on news. When it or a signal
// raises an exception, `stop` is set, which asks the work to end with what it has.
template <class Work>
auto watched(std::atomic<bool>& stop, const std::function<void()>& look, Work work)
    -> Outcome<std::invoke_result_t<Work>> {
  py::object raised = py::none();
  auto answer = std::async(std::launch::async, std::move(work));
  for (bool done = false; !done;) {
    {
      const py::gil_scoped_release unlocked;
      done = answer.wait_for(kLook) == std::future_status::ready;
    }
    if (!raised.is_none()) continue;
    try {
      look_for_signals();
      look();
    } catch (const py::error_already_set& error) {
      raised = error.value();
      stop = true;
    }
  }
  return {answer.get(), std::move(raised)};
}

// Keeps work whose answer nobody waits for; the program waits for it before it ends.
void abandon(std::future<void> work);

// Runs work that has no answer unless it is done, and that holds copies of all that it uses. After Ctrl-C the exception
// is thrown at once; the flag that the work is called with is set, which asks it to end.
template <class Work>
std::invoke_result_t<Work, const std::atomic<bool>&> interruptible(Work work) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  std::packaged_task<std::invoke_result_t<Work, const std::atomic<bool>&>()> task(
      [stop, work = std::move(work)] { return work(*stop); });
  auto answer = task.get_future();
  auto running = std::async(std::launch::async, std::move(task));
  for (;;) {
    {
      const py::gil_scoped_release unlocked;
      if (answer.wait_for(kLook) == std::future_status::ready) break;
    }
    try {
      look_for_signals();
    } catch (const py::error_already_set&) {
      *stop = true;
      abandon(std::move(running));
      throw;
    }
  }
  return answer.get();
}

}  // namespace heliolite::python
