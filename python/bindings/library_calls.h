#pragma once
// The parts of the extension module and how they call the library: results as values or exceptions, and long work
// apart from the interpreter.
#include <pybind11/pybind11.h>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/word_length.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite::python {

// The parts of the extension module: each file adds its own classes and functions to it.

namespace py = pybind11;
using namespace py::literals;  // "name"_a = value, the entries of a dict

// Classes come before the functions that take or return them.
void add_errors(py::module_& module);
void add_machines(py::module_& module);
void add_workloads(py::module_& module);
void add_mappings(py::module_& module);
void add_costs(py::module_& module);
void add_search(py::module_& module);
void add_bounds(py::module_& module);
void add_curves(py::module_& module);
void add_fusion(py::module_& module);
void add_schedules(py::module_& module);
void add_sweeps(py::module_& module);

// What several of them give to Python.

// A mapping together with what it maps and what it is mapped on: alone it is indices.
struct PlacedMapping {
  Mapping mapping;
  std::shared_ptr<const Workload> workload;
  std::shared_ptr<const Architecture> machine;
};

// The least that crosses a machine's levels, with the keys of "bounds" in docs/json.md.
std::vector<py::dict> distances_as_list(const std::vector<LevelDistance>& levels);

// Results as values or exceptions.

// Becomes heliolite.Error, with all complaints.
class InputError : public std::exception {
 public:
  explicit InputError(Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}

  const Diagnostics& diagnostics() const { return diagnostics_; }
  const char* what() const noexcept override { return "heliolite.Error"; }

 private:
  Diagnostics diagnostics_;
};

// The value; throws InputError if there is none.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw InputError(result.errors());
  return *std::move(result);
}

// Bits of a word: an int where they are whole, else a float; None without a size.
inline py::object number_of(const std::optional<WordLength>& length) {
  if (!length) return py::none();
  if (length->is_whole()) return py::int_(length->parts());
  return py::float_(static_cast<double>(*length));
}

// None for an empty text.
inline py::object text_or_none(std::string_view text) { return text.empty() ? py::none() : py::object(py::str(text)); }

// Throws InputError if there are complaints.
inline void expect_none(Diagnostics complaints) {
  if (!complaints.empty()) throw InputError(std::move(complaints));
}

// Long work apart from the interpreter: on threads of its own, while the thread that called from Python waits without
// the global lock, passes on news and looks for Ctrl-C.

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
