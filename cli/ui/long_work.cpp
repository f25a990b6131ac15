#include "cli/ui/long_work.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>

#include "cli/ui/output.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

std::atomic<bool> watched{false};  // somebody looks at the flag
std::atomic<bool> interrupted{false};
std::atomic<std::int64_t> first_request{std::numeric_limits<std::int64_t>::max()};
std::atomic<bool> left_running{false};
std::atomic<const char*> unfinished{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::array kEnding{SIGINT, SIGTERM, SIGHUP};

// timeout and others signal the program and then the group it is in: that is one request.
constexpr std::int64_t kOneRequest = 300'000'000;  // nanoseconds

std::int64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void interrupt(int signal) {
  if (watched && signal != SIGHUP) {
    if (!interrupted.exchange(true)) first_request = nanoseconds();
    if (nanoseconds() - first_request < kOneRequest) return;
  }
  if (const char* path = unfinished.exchange(nullptr)) unlink(path);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// A signal that is ignored (nohup, a shell's background job) stays so, unless it is `asked` for.
void install(bool asked) {
  for (const int signal : kEnding)
    if (std::signal(signal, interrupt) == SIG_IGN && (!asked || signal == SIGHUP)) std::signal(signal, SIG_IGN);
}

using namespace std::chrono_literals;

constexpr auto kFirstBar = 400ms, kNextBar = 100ms;
constexpr auto kFirstLine = 5s, kNextLine = 15s;
constexpr u64 kBarWidth = 24, kLeastBarWidth = 6;

// No more precise than a guess can be.
std::string about(double s) {
  if (s < 100) return fmt::format("{:.0f} s", std::ceil(s));
  if (s < 100 * 60) return fmt::format("{:.0f} min", s / 60);
  return fmt::format("{:.1f} h", s / 3600);
}

std::size_t columns_of_stderr() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

const std::atomic<bool>& interrupt_flag() {
  if (!watched.exchange(true)) install(true);
  return interrupted;
}

bool work_goes_on() { return left_running; }

void leave_work_running() { left_running = true; }

RemovedOnSignal::RemovedOnSignal(const char* path) {
  install(false);
  unfinished = path;
}

RemovedOnSignal::~RemovedOnSignal() { unfinished = nullptr; }

Progress::Progress(const Output& output, std::string unit, u64 of, ProgressHint hint)
    : unit_(std::move(unit)), of_(of), hint_(std::move(hint)), terminal_(isatty(STDERR_FILENO) == 1) {
  if (output.quiet) return;
  // Signals are for the main thread, which was there first.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  ticker_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  if (drawn_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(u64 done, const std::string& detail, u64 kept) {
  const std::lock_guard lock(mutex_);
  done_ = std::max(done_, done);  // threads may overtake each other
  kept_ = std::max(kept_, kept);
  detail_ = visible(detail);
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  Clock::time_point next = start_ + (terminal_ ? Clock::duration(kFirstBar) : Clock::duration(kFirstLine));
  while (!ended_.wait_until(lock, next, [this] { return end_; })) {
    draw(std::chrono::duration<double>(Clock::now() - start_).count());
    next = Clock::now() + (terminal_ ? Clock::duration(kNextBar) : Clock::duration(kNextLine));
  }
}

std::string Progress::numbers(double elapsed) const {
  std::string text = fmt::format("{} of {} {}", grouped(done_), grouped(of_), unit_);
  if (done_ > kept_) {
    const double rate = static_cast<double>(done_ - kept_) / elapsed;
    text += fmt::format(", {:.3g}/s", rate);
    if (done_ < of_) text += fmt::format(", {} left", about(static_cast<double>(of_ - done_) / rate));
  } else {
    text += fmt::format(", {} so far", about(std::floor(elapsed)));
  }
  return detail_.empty() ? text : text + ", " + detail_;
}

std::string Progress::hint(double elapsed) {
  if (hint_.text.empty() || elapsed < std::chrono::duration<double>(hint_.after).count()) return "";
  return "\r\x1b[Kheliolite: " + std::exchange(hint_.text, "") + "\n";
}

// A bar as wide as there is room for next to a text.
std::string Progress::bar(std::size_t text) const {
  const std::size_t room = columns_of_stderr() - std::min(columns_of_stderr(), text + 6);
  const u64 width = std::min<u64>(kBarWidth, room), full = of_ == 0 ? width : width * std::min(done_, of_) / of_;
  if (width < kLeastBarWidth) return "  ";
  return fmt::format("  [{}{}] ", std::string(full, '#'), std::string(width - full, '.'));
}

void Progress::draw(double elapsed) {
  std::string text = numbers(elapsed);
  if (terminal_) {
    text = bar(text.size()) + text;
    text = hint(elapsed) + "\r" + text.substr(0, columns_of_stderr() - 1) + "\x1b[K";
  } else {
    text = "heliolite: " + text + "\n";
  }
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace heliolite::cli
