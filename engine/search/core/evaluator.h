#pragma once
// Values from outside: a command of the user's is told a mapping and answers with a number, which a search then
// minimises in place of the cost model's objective; or it is told a machine and a layer, and answers with energy and
// cycles (docs/evaluator.md).
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/child_process.h"
#include "engine/search/core/strategy.h"

namespace heliolite {

// The answer to one question.
struct EvaluatorAnswer {
  std::optional<double> value{};  // above 0; the first of several
  std::string failure;            // why there is no value
  bool cut = false;               // the search's time was up, or somebody asked to stop, before there was an answer
  std::vector<double> values{};   // all that were asked for, each above 0
};

// The command with its processes. For any number of threads at a time: each talks to a process of its own.
class Evaluator {
 public:
  // `numbers`: that an answer has.
  explicit Evaluator(EvaluatorOptions options, std::size_t numbers = 1)
      : options_(std::move(options)), numbers_(numbers) {}
  // Processes that wait for a mapping see the end of their standard input, and are ended a second later.
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Asks about what one YAML document says, a mapping (mapping_yaml.h). `seconds`: left to the search; none: no limit.
  EvaluatorAnswer ask(const std::string& document, std::optional<double> seconds, const std::atomic<bool>* stop);

 private:
  using Process = std::unique_ptr<ChildProcess>;

  // `of_search`: the patience is what the search has left, not what an answer may take.

  EvaluatorAnswer ask_once(const std::string& document, const Patience& patience, bool of_search) const;
  EvaluatorAnswer ask_stream(const std::string& document, const Patience& patience, bool of_search);
  Process take_idle();  // null: there is none

  EvaluatorOptions options_;
  std::size_t numbers_;
  std::mutex mutex_;
  std::vector<Process> idle_;  // idle processes of protocol stream
};

}  // namespace heliolite
