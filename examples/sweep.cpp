// Runs a sweep and lists its Pareto front of energy, cycles and area. Run again with the same database it goes on where
// it was.
//
//   sweep SWEEP.yaml RESULTS.db
#include <heliolite/sweep.h>
#include <heliolite/version.h>

#include <cstdio>
#include <string>

namespace {

int fail(const heliolite::Diagnostics& errors) {
  std::fprintf(stderr, "%s\n", to_string(errors).c_str());
  return 2;
}

void print(const heliolite::PointRecord& point, const heliolite::SweepRecord& sweep) {
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
  auto spec = heliolite::load_sweep(argv[1]);
  if (!spec) return fail(spec.errors());
  for (const heliolite::Diagnostic& warning : spec->warnings) std::fprintf(stderr, "%s\n", warning.to_string().c_str());
  spec->options.threads = 0;  // every core; the results do not depend on it

  const heliolite::Shard whole;  // all points; several computers would take {0, 3}, {1, 3} and {2, 3}
  auto store =
      heliolite::Store::resume(argv[2], heliolite::sweep_record(*spec, whole, to_string(heliolite::version_info())));
  if (!store) return fail(store.errors());
  const auto run = heliolite::run_sweep(*spec, *store, whole, [](const heliolite::SweepNews& news) {
    std::fprintf(stderr, "\r%llu points", static_cast<unsigned long long>(news.points));
  });
  if (!run) return fail(run.errors());

  const auto summary = heliolite::summarize(*store);
  if (!summary) return fail(summary.errors());
  std::fprintf(stderr, "\n");
  std::printf("%llu points mapped; best of all in at least one way:\n",
              static_cast<unsigned long long>(summary->count(heliolite::PointState::Done)));
  for (const heliolite::PointRecord& point : summary->front) print(point, store->sweep());
  const heliolite::Diagnostics errors = store->close(true);
  return errors.empty() ? 0 : fail(errors);
}
