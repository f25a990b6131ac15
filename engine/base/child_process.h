#pragma once
// A command of the user's, run by /bin/sh and talked to over pipes: with a time limit, and ended with all that it has
// started, also when this program is killed.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

// Until when to wait for somebody else.
struct Patience {
  using Clock = std::chrono::steady_clock;

  // At most so long from now; none: as long as it takes. `stop`: somebody sets it to end the waiting; may be null.
  explicit Patience(std::optional<double> seconds, const std::atomic<bool>* stop = nullptr);

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }

  Clock::time_point until;
  const std::atomic<bool>* stop;
};

class ChildProcess {
 public:
  // More than this on the command's standard output between two talks is too much.
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  // How a talk ended: the command has said what was waited for; it has closed its standard output, mostly by ending;
  // the time was up; somebody asked to stop; it said more than kMostBytes.
  enum class Talk : u8 { Heard, Closed, TimedOut, Stopped, TooMuch };

  // Starts the command in a process group of its own. Errors: the system has no room for it.
  static Result<std::unique_ptr<ChildProcess>> start(const std::string& command);
  // Ends the command and what it has started.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Writes `text` to its standard input, as far as it reads it, and then reads its standard output until `enough` of
  // what was heard is true.
  Talk talk(std::string_view text, const std::function<bool(const std::string&)>& enough, const Patience& patience);
  // Talks to the child until it closes its standard output; its standard input ends after `text`.
  Talk talk_to_the_end(std::string_view text, const Patience& patience);

  void end_input();

  // What the process said on its standard output and nobody has taken yet.
  std::string& heard() { return heard_; }
  // Reads what is there already, without waiting. False: it has closed its standard output.
  bool listen();

  // Whether the process ends in time, and then why that was no success: "ended with exit code 3", with the last line of
  // its standard error; empty: with exit code 0. None: it did not end.
  std::optional<std::string> ending(const Patience& patience);
  // The last line that it said on its standard error; may be empty.
  std::string last_complaint();

 private:
  ChildProcess(int process, int input, int output, int error);

  Talk talk(std::string_view text, bool ends_input, const std::function<bool(const std::string&)>& enough,
            const Patience& patience);
  void write_some(std::string_view& text);
  bool read_output();
  void read_error();

  int process_;                 // of the shell, which leads the group
  int input_, output_, error_;  // our ends of the pipes; -1: closed
  std::string heard_, complaints_;
};

// `text` as one word of a command that /bin/sh runs.
std::string shell_quoted(std::string_view text);

}  // namespace heliolite
