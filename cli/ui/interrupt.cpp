#include "cli/ui/interrupt.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <limits>

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

}  // namespace heliolite::cli
