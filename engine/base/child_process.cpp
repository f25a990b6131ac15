#include "engine/base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "engine/base/text.h"

extern char** environ;

namespace heliolite {
namespace {

constexpr int kLookAtStop = 20;  // milliseconds between looks at a stop flag

void close_pipe(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

// Writes without being ended by SIGPIPE where nobody reads. Returns the bytes written; below 0: errno says why.
ssize_t write_to_pipe(int file, const char* data, std::size_t size) {
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  const ssize_t written = write(file, data, size);
  const int why = errno;
  if (written < 0 && why == EPIPE && !was_pending) {
    constexpr timespec kNow{0, 0};
    while (sigtimedwait(&broken, nullptr, &kNow) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = why;
  return written;
}

// A shell that runs `script` with $1 = `argument` and `given` as its files 0 to 3 (-1: this program's, no file 3);
// below 0: errno says why. In a process group of its own, so that signals of the terminal reach this program only,
// which ends what it started.
pid_t spawn_shell(const char* script, const std::string& argument, std::array<int, 4> given) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (std::size_t k = 0; k < given.size(); ++k)
    if (given[k] >= 0) posix_spawn_file_actions_adddup2(&files, given[k], static_cast<int>(k));
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setpgroup(&how, 0);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&usual, signal);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string shell = "/bin/sh", run = "-c", text = script, name = "sh", first = argument;
  std::array<char*, 6> arguments{shell.data(), run.data(), text.data(), name.data(), first.data(), nullptr};
  pid_t process = -1;
  const int why = posix_spawn(&process, shell.c_str(), &files, &how, arguments.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  errno = why;
  return why == 0 ? process : -1;
}

// A process that ends the groups it knows when this program is gone, however that happened: then its standard input
// ends.
class Watcher {
 public:
  static Watcher& only() {
    static Watcher watcher;
    return watcher;
  }

  // The shell of a command tells it "+ GROUP" here before the command begins; -1: there is no watcher.
  int door() const { return to_; }
  void ends(pid_t group) const {
    const std::string line = fmt::format("- {}\n", group);
    if (to_ >= 0) write_to_pipe(to_, line.data(), line.size());
  }

 private:
  Watcher() {
    static constexpr const char* kScript =
        "exec >/dev/null 2>&1; trap '' INT TERM HUP QUIT; live=' '; while read -r sign group; do case $sign in "
        "+) live=\"$live$group \";; *) case $live in *\" $group \"*) "
        "live=\"${live%% $group *} ${live#* $group }\";; esac;; esac; done; "
        "for group in $live; do kill -9 -$group; done";
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    if (spawn_shell(kScript, "", {ends[0], -1, -1, -1}) >= 0) to_ = std::exchange(ends[1], -1);
    for (int& file : ends) close_pipe(file);
  }

  int to_ = -1;
};

}  // namespace

Patience::Patience(std::optional<double> seconds, const std::atomic<bool>* stop_flag)
    : until(Clock::time_point::max()), stop(stop_flag) {
  constexpr double kForever = 1e8;
  if (seconds && *seconds < kForever)
    until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::string& command) {
  static constexpr const char* kRun =
      "trap '' PIPE; { echo \"+ $$\" >&3; } 2>/dev/null; exec 3>&-; trap - PIPE; eval \"$1\"";
  std::array<std::array<int, 2>, 3> pipes{};  // [input, output, error]: end to read from, end to write to
  for (auto& pipe : pipes) pipe = {-1, -1};
  bool open = true;
  for (auto& pipe : pipes) open = open && pipe2(pipe.data(), O_CLOEXEC) == 0;
  const pid_t process =
      open ? spawn_shell(kRun, command, {pipes[0][0], pipes[1][1], pipes[2][1], Watcher::only().door()}) : -1;
  const int why = errno;
  for (int* file : {&pipes[0][0], &pipes[1][1], &pipes[2][1]}) close_pipe(*file);
  if (process < 0) {
    for (int* file : {&pipes[0][1], &pipes[1][0], &pipes[2][0]}) close_pipe(*file);
    return Diagnostic{"", 0, "", fmt::format("cannot be started: {}", std::strerror(why))};
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(process, pipes[0][1], pipes[1][0], pipes[2][0]));
}

ChildProcess::ChildProcess(int process, int input, int output, int error)
    : process_(process), input_(input), output_(output), error_(error) {
  for (const int file : {input_, output_, error_}) fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  // The group's number is not given to another one as long as its leader is not waited for.
  kill(-process_, SIGKILL);
  Watcher::only().ends(process_);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  for (int* file : {&input_, &output_, &error_}) close_pipe(*file);
}

void ChildProcess::write_some(std::string_view& text) {
  const ssize_t written = write_to_pipe(input_, text.data(), text.size());
  if (written >= 0) return text.remove_prefix(static_cast<std::size_t>(written));
  if (errno == EAGAIN || errno == EINTR) return;
  close_pipe(input_);  // it reads no more
  text = {};
}

// False: there is no more to come.
bool ChildProcess::read_output() {
  std::array<char, 4096> some;
  const ssize_t size = read(output_, some.data(), some.size());
  if (size > 0) heard_.append(some.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

void ChildProcess::read_error() {
  std::array<char, 4096> some;
  const ssize_t size = read(error_, some.data(), some.size());
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return close_pipe(error_);
  if (size > 0) complaints_.append(some.data(), static_cast<std::size_t>(size));
  if (complaints_.size() > 2 * some.size()) complaints_.erase(0, complaints_.size() - some.size());
}

void ChildProcess::end_input() { close_pipe(input_); }

bool ChildProcess::listen() {
  std::size_t before = 0;
  do {
    before = heard_.size();
    if (!read_output()) return false;
  } while (heard_.size() > before && heard_.size() <= kMostBytes);
  return true;
}

ChildProcess::Talk ChildProcess::talk(std::string_view text, bool ends_input,
                                      const std::function<bool(const std::string&)>& enough, const Patience& patience) {
  while (true) {
    if (text.empty() && ends_input) close_pipe(input_);
    if ((text.empty() || input_ < 0) && enough(heard_)) return Talk::Heard;
    if (heard_.size() > kMostBytes) return Talk::TooMuch;
    if (patience.stopped()) return Talk::Stopped;
    const auto now = Patience::Clock::now();
    if (now >= patience.until) return Talk::TimedOut;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::min<Patience::Clock::duration>(patience.until - now, std::chrono::milliseconds(kLookAtStop)));
    // A negative file is left alone.
    std::array<pollfd, 3> files{pollfd{text.empty() ? -1 : input_, POLLOUT, 0}, pollfd{output_, POLLIN, 0},
                                pollfd{error_, POLLIN, 0}};
    if (poll(files.data(), files.size(), static_cast<int>(left.count())) <= 0) continue;
    if (files[0].revents != 0) write_some(text);
    if (files[2].revents != 0) read_error();
    if (files[1].revents != 0 && !read_output()) return enough(heard_) ? Talk::Heard : Talk::Closed;
  }
}

ChildProcess::Talk ChildProcess::talk(std::string_view text, const std::function<bool(const std::string&)>& enough,
                                      const Patience& patience) {
  return talk(text, false, enough, patience);
}

ChildProcess::Talk ChildProcess::talk_to_the_end(std::string_view text, const Patience& patience) {
  return talk(
      text, true, [](const std::string&) { return false; }, patience);
}

std::optional<std::string> ChildProcess::ending(const Patience& patience) {
  siginfo_t info{};
  // Waits for nobody else's process, and leaves it to be waited for once more.
  for (timespec pause{0, 20'000};; pause.tv_nsec = std::min(2 * pause.tv_nsec, 10'000'000L)) {
    info.si_pid = 0;
    if (waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
      return "";
    if (info.si_pid == process_) break;
    if (patience.stopped() || Patience::Clock::now() >= patience.until) return std::nullopt;
    nanosleep(&pause, nullptr);
  }
  if (info.si_code == CLD_EXITED && info.si_status == 0) return "";
  const std::string complaint = last_complaint();
  // A shell says by 128 + N that signal N ended what it ran.
  constexpr int kShellsSignals = 128;
  const bool by_signal = info.si_code != CLD_EXITED;
  const int signal = by_signal ? info.si_status : info.si_status - kShellsSignals;
  const char* const signal_name = signal > 0 ? sigabbrev_np(signal) : nullptr;
  const std::string name = signal_name == nullptr ? "" : fmt::format(" (SIG{})", signal_name);
  return fmt::format("{} {}{}{}{}", by_signal ? "ended by signal" : "ended with exit code", info.si_status, name,
                     complaint.empty() ? "" : ": ", complaint);
}

std::string ChildProcess::last_complaint() {
  for (std::size_t before = complaints_.size() + 1; error_ >= 0 && complaints_.size() != before;) {
    before = complaints_.size();
    read_error();
  }
  const std::string_view all = trim(complaints_);
  const std::size_t line = all.rfind('\n');
  return shortened(line == std::string_view::npos ? all : all.substr(line + 1));
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace heliolite
