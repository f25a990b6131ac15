#pragma once
// Many runs of something that may crash or hang, in a child process with a limit of CPU time for each: the parent
// learns which run it was.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace heliolite {

struct GuardedRuns {
  std::uint64_t finished = 0;  // this many runs ended as they should; the next one did not if `failure` is not empty
  std::string failure;
};

// Calls run(0), run(1), .., run(count - 1). A run that returns a text has failed. Each may use `seconds` of CPU time.
inline GuardedRuns guarded_runs(std::uint64_t count, double seconds,
                                const std::function<std::string(std::uint64_t)>& run) {
  struct Shared {
    std::uint64_t finished;
    char failure[4000];
  };
  void* const page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return {0, "no shared memory"};
  auto* const shared = new (page) Shared{};
  const pid_t child = fork();
  if (child == 0) {
    const auto whole = static_cast<time_t>(seconds);
    const auto micro = static_cast<suseconds_t>((seconds - static_cast<double>(whole)) * 1e6);
    const itimerval limit{{0, 0}, {whole, micro}};
    for (std::uint64_t k = 0; k < count; ++k) {
      setitimer(ITIMER_PROF, &limit, nullptr);  // its signal ends the process
      std::string failure;
      try {
        failure = run(k);
      } catch (const std::exception& e) {
        failure = std::string("threw ") + e.what();
      }
      if (!failure.empty()) {
        shared->failure[failure.copy(shared->failure, sizeof shared->failure - 1)] = 0;
        _exit(1);
      }
      shared->finished = k + 1;
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  GuardedRuns out{shared->finished, shared->failure};
  munmap(page, sizeof(Shared));
  if (child < 0) out.failure = "no child process";
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) out.failure = "takes too much CPU time";
  else if (WIFSIGNALED(status)) out.failure = "ended by signal " + std::to_string(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0 && out.failure.empty())
    out.failure = "ended with " + std::to_string(WEXITSTATUS(status));
  return out;
}

}  // namespace heliolite
