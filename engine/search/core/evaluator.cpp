#include "engine/search/core/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr double kFarewell = 1;  // seconds that processes have to end by themselves when nothing more is asked

EvaluatorAnswer failed(std::string why) { return {.value = {}, .failure = std::move(why)}; }

EvaluatorAnswer answer_of(std::string_view said, std::size_t numbers) {
  said = trim(said);
  if (said.empty()) return failed("said nothing");
  EvaluatorAnswer out;
  for (const std::string& word : split(said, ' ')) {
    const std::optional<double> value = word.empty() ? std::nullopt : parse_number<double>(word);
    if (value && *value > 0) out.values.push_back(*value);
    else if (!word.empty()) out.values.resize(numbers + 1);
  }
  if (out.values.size() == numbers) {
    out.value = out.values.front();
    return out;
  }
  return failed(fmt::format("said '{}', must be {} above 0", shortened(said),
                            numbers == 1 ? "a number" : fmt::format("{} numbers", numbers)));
}

// What is wrong where the command did not say enough; none: a process that ended, or closed its standard output.
std::optional<EvaluatorAnswer> unfinished(ChildProcess::Talk end, bool of_search, double seconds) {
  switch (end) {
    case ChildProcess::Talk::Heard:
    case ChildProcess::Talk::Closed: return std::nullopt;
    case ChildProcess::Talk::TooMuch: return failed(fmt::format("said more than {} bytes", ChildProcess::kMostBytes));
    case ChildProcess::Talk::TimedOut:
      if (!of_search) return failed(fmt::format("gave no answer within {} s", seconds));
      break;
    case ChildProcess::Talk::Stopped: break;
  }
  return EvaluatorAnswer{.value = {}, .failure = {}, .cut = true};
}

bool has_line(const std::string& text) { return text.find('\n') != std::string::npos; }

}  // namespace

Evaluator::~Evaluator() {
  for (const Process& process : idle_) process->end_input();
  const Patience patience(kFarewell);
  for (const Process& process : idle_) process->ending(patience);
}

EvaluatorAnswer Evaluator::ask(const std::string& document, std::optional<double> seconds,
                               const std::atomic<bool>* stop) {
  const bool of_search = seconds && *seconds < options_.seconds;  // the search ends before the answer is late
  const Patience patience(of_search ? *seconds : options_.seconds, stop);
  return options_.protocol == EvaluatorProtocol::Once ? ask_once(document, patience, of_search)
                                                      : ask_stream(document, patience, of_search);
}

EvaluatorAnswer Evaluator::ask_once(const std::string& document, const Patience& patience, bool of_search) const {
  Result<Process> started = ChildProcess::start(options_.command);
  if (!started) return failed(started.errors().front().message);
  ChildProcess& process = **started;
  if (const auto none = unfinished(process.talk_to_the_end(document, patience), of_search, options_.seconds))
    return *none;
  const std::optional<std::string> ending = process.ending(patience);
  if (!ending)
    return *unfinished(patience.stopped() ? ChildProcess::Talk::Stopped : ChildProcess::Talk::TimedOut, of_search,
                       options_.seconds);
  return ending->empty() ? answer_of(process.heard(), numbers_) : failed(*ending);
}

Evaluator::Process Evaluator::take_idle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  Process process = std::move(idle_.back());
  idle_.pop_back();
  return process;
}

// A process that failed is ended, so that a late answer is not taken for that of the next mapping.
EvaluatorAnswer Evaluator::ask_stream(const std::string& document, const Patience& patience, bool of_search) {
  Process idle = take_idle();
  // One that ended after its last answer is replaced.
  if (idle && !idle->listen()) idle.reset();
  if (idle && !idle->heard().empty()) return failed("said more than one line to a mapping");
  Result<Process> started = idle ? Result<Process>(std::move(idle)) : ChildProcess::start(options_.command);
  if (!started) return failed(started.errors().front().message);
  ChildProcess& process = **started;
  const ChildProcess::Talk end = process.talk("---\n" + document + "...\n", has_line, patience);
  if (const auto none = unfinished(end, of_search, options_.seconds)) return *none;
  std::string& heard = process.heard();
  if (end == ChildProcess::Talk::Closed) {
    const auto why = process.ending(patience).value_or("closed its standard output");
    return failed(why.empty() ? "ended with exit code 0 before it answered" : why);
  }
  const std::size_t line = heard.find('\n');
  if (line + 1 < heard.size()) return failed("said more than one line to a mapping");
  EvaluatorAnswer answer = answer_of(heard.substr(0, line), numbers_);
  heard.clear();
  const std::lock_guard lock(mutex_);
  idle_.push_back(*std::move(started));
  return answer;
}

}  // namespace heliolite
