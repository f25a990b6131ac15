// Runs a sweep and lists its Pareto front of energy, cycles and area. Run again with the same database it goes on where
// it was.
//
//   sweep SWEEP.yaml RESULTS.db
#include <heliolite/sweep.h>

#include <cstdio>
#include <string>

namespace {

int fail(const heliolite::Diagnostics& errors) {
  std::fprintf(stderr, "%s\n", to_string(errors).c_str());
  return 2;
}

void print(const heliolite::DesignPoint& point, const heliolite::SweepInfo& sweep) {
  std::string machine;
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i)
    machine += sweep.parameters[i] + " " + point.values[i] + (i + 1 < sweep.parameters.size() ? ", " : "");
  std::printf("%-36s %10.1f uJ %12.0f cycles %8.2f mm2\n", machine.c_str(), point.energy_pj / 1e6, point.cycles,
              point.area_um2 / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: sweep SWEEP.yaml RESULTS.db\n");
    return 2;
  }
  const auto sweep = heliolite::load_sweep(argv[1]);
  if (!sweep) return fail(sweep.errors());
  for (const heliolite::Diagnostic& warning : sweep->warnings())
    std::fprintf(stderr, "%s\n", warning.to_string().c_str());

  heliolite::RunOptions options;  // every core; several computers would take shards {0, 3}, {1, 3} and {2, 3}
  options.progress = [](const heliolite::SweepProgress& news) {
    std::fprintf(stderr, "\r%llu points", static_cast<unsigned long long>(news.points));
  };
  const auto run = heliolite::run_sweep(*sweep, argv[2], options);
  if (!run) return fail(run.errors());

  const auto results = heliolite::SweepResults::open(argv[2]);
  if (!results) return fail(results.errors());
  const auto summary = results->summarize();
  if (!summary) return fail(summary.errors());
  std::fprintf(stderr, "\n");
  std::printf("%llu points mapped; best of all in at least one way:\n",
              static_cast<unsigned long long>(summary->done()));
  for (const heliolite::DesignPoint& point : summary->front) print(point, results->info());
}
