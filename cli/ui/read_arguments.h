#pragma once
// Options that say how input files are read: --sparse, --define, --rename, --word-bits, and those of
// ONNX models. Every command that takes a machine or a workload has them.
#include <CLI/CLI.hpp>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/ui/interrupt.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/base/types.h"
#include "engine/inputs/read_options.h"
#include "engine/search/core/options.h"

namespace heliolite::cli {

// C programs on the command line: what -w names one, --param, --budget, and work on them that can be stopped.

// Whether -w names a C program.
bool is_program(std::string_view workload);

// --budget of commands that take C programs: seconds after which they end with what they have.
void add_budget_option(CLI::App& command, std::optional<double>& seconds);

// "N=1000" and its like as names and values; errors name --param.
Result<std::vector<std::pair<std::string, i64>>> read_parameters(const std::vector<std::string>& texts);

// Runs work that ends by itself, with what it has, soon after `request()`, which is called from another thread: after
// Ctrl-C, or when `seconds` have passed. Nothing if it goes on all the same: then in the background until the program
// ends, so that it must hold copies of all that it uses.
template <class Work, class Request>
std::optional<std::invoke_result_t<Work>> until_stopped(Work work, Request request, std::optional<double> seconds) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  constexpr auto kToEnd = 350ms;
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
    if (!asked || now - *asked < kToEnd) continue;
    leave_work_running();
    thread.detach();
    return std::nullopt;
  }
  thread.join();
  return answer.get();
}

// Adds them; what is given stands in `options` once the command line is read.
void add_read_options(CLI::App& command, ReadOptions& options);

// Names of those that are of ONNX models alone: "--dim", ..
const std::vector<std::string>& model_option_names();

// The error where there is no workload that they could be of: "'batch=1' is said of an ONNX model, and {what}"; empty
// if none is given.
Diagnostics refuse_model_options(const ReadOptions& options, std::string_view what);

// The options as words of a command line.
std::vector<std::string> words_of(const ReadOptions& options);

}  // namespace heliolite::cli
