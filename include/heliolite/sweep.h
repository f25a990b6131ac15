#pragma once
// Many machines at once: a sweep from its file, its results in a database that survives interruptions, and what they
// say together.
//
//   auto sweep = heliolite::load_sweep("configs/sweeps/quick.yaml");
//   auto run = heliolite::run_sweep(*sweep, "quick.db");                 // again: it goes on where it was
//   auto results = heliolite::SweepResults::open("quick.db");
//   auto summary = results->summarize();
//   for (const heliolite::DesignPoint& point : summary->front)            // Pareto: energy, delay, area
//     std::printf("%g pJ, %g cycles, %g um2\n", point.energy_pj, point.cycles, point.area_um2);
//
// Results can be opened while they are written; merge_sweeps() unites those of several computers.
#include <heliolite/map.h>  // IWYU pragma: export
#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heliolite::api {

struct SweepState;
struct SweepResultsState;

// What is asked for instead of what the sweep's file says (docs/formats_sweep.md). What is not set is as it says.
struct SweepOptions {
  std::optional<std::string> goal{};      // what has to be known at the end: "all", "front", "best" or "explore"
  std::optional<std::string> rank{};      // what points are ranked by: "totals" or "layers"
  std::optional<std::uint64_t> sample{};  // number of points drawn from the grid
  NamedOptions search{};                  // options of the searches (map.h)
  ReadOptions reading{};                  // of the machine and the workloads
};

// A sweep that was read and checked. Copies share it; it never changes.
class Sweep {
 public:
  const std::string& name() const;
  std::vector<std::string> parameters() const;  // names, in the file's order
  std::uint64_t grid_points() const;            // all combinations of the parameters' values
  std::uint64_t planned_points() const;         // those that the sweep looks at: all, or a sample
  std::vector<std::string> layers() const;      // names of all layers of all workloads
  const Diagnostics& warnings() const;

 private:
  friend struct Inside;
  explicit Sweep(std::shared_ptr<const SweepState> state) : state_(std::move(state)) {}
  std::shared_ptr<const SweepState> state_;
};

// Reads the file, its machine and its workloads, whose paths are relative to it. All errors come at once.
Result<Sweep> load_sweep(const std::string& path, const SweepOptions& options = {});
// A text that the file `path` could hold, which need not be there.
Result<Sweep> parse_sweep(const std::string& text, const std::string& path, const SweepOptions& options = {});

struct SweepProgress {
  std::uint64_t points = 0;    // looked at, those of earlier runs included
  std::uint64_t kept = 0;      // done by earlier runs
  std::optional<double> best;  // least DesignPoint::value so far
};

struct RunOptions {
  int threads = 0;                      // 0: every core; the results do not depend on it
  std::uint64_t shard = 0, shards = 1;  // the part, counted from 0, and the number of parts; each has its own database
  // Called from threads of the sweep, by one at a time; it must return soon.
  std::function<void(const SweepProgress&)> progress{};
  const std::atomic<bool>* stop = nullptr;  // when somebody sets it, the run ends; what it has done is kept
};

struct SweepRun {
  bool interrupted = false;    // somebody asked it to stop
  std::uint64_t points = 0;    // that this run wrote
  std::uint64_t searched = 0;  // layers that were searched
  std::uint64_t reused = 0;    // layers whose question had been answered before
  // Points of a smaller grid that were taken over: the database was of this sweep before its parameters got more
  // values, and the old file is beside it as "<database>.before".
  std::uint64_t taken_over = 0;
};

// Maps all points that the database does not have, and writes each when it is done; a database that is not there is
// made, points of one whose grid has grown are taken over. Errors: one of another sweep or shard, that somebody else
// writes, or that is damaged; a full disk; a shard that there is not.
Result<SweepRun> run_sweep(const Sweep& sweep, const std::string& database, const RunOptions& options = {});

// A machine of the sweep and what became of it.
struct DesignPoint {
  std::uint64_t id = 0;  // place in the grid, the last parameter fastest
  // "done"; "infeasible": some layer has no mapping; "cut": a bound says that it is not among the best; "excluded": a
  // constraint does not hold; "invalid": the values make no machine. `reason` says more of all but the first.
  std::string state;
  std::vector<std::string> values;  // of the parameters, as written
  double area_um2 = 0;
  std::uint64_t compute_units = 0;
  double capacity_bytes = 0;  // of all instances of all bounded memories
  // Sums over the layers, times counts and weights; of a cut point lower bounds of these.
  double energy_pj = 0, cycles = 0;
  std::optional<double> cycle_ns;
  double value = 0;        // what points are ranked by, in SweepInfo::value_unit
  double lower_bound = 0;  // of `value`, over all mappings
  std::string reason;
};

// The answer for one layer of a point.
struct PointLayer {
  std::string workload, name;
  std::uint64_t count = 1;
  double weight = 1;                                                              // of the workload
  std::string status;                                                             // as LayerAnswer::status
  double energy_pj = 0, cycles = 0, value = 0, lower_bound = 0, utilization = 0;  // of one execution
  std::uint64_t evaluated = 0;
  double seconds = 0;   // of the search; 0: the answer of an equal question was taken
  std::string mapping;  // a text for parse_mapping(); empty: infeasible
  std::string reason;   // why infeasible, or why not proven
};

// What a database is about.
struct SweepInfo {
  std::string name, objective, strategy, goal, rank;
  std::string value_unit;  // of values of points
  std::vector<std::string> parameters;
  std::uint64_t grid_points = 0, planned_points = 0;
  std::uint64_t shard = 0, shards = 1;
  std::string version;             // of the program that began it
  std::vector<std::string> notes;  // what the totals leave out
};

// What is known of one value of a parameter.
struct ParameterEffect {
  std::string parameter, value;
  std::uint64_t points = 0;      // that have it and are done
  double best = 0;               // least value of these
  std::uint64_t best_point = 0;  // that has it
  double mean = 0;               // geometric mean of their values
};

struct SweepSummary {
  std::vector<std::pair<std::string, std::uint64_t>> states;  // points by DesignPoint::state
  std::vector<DesignPoint> best;                              // best first
  std::vector<DesignPoint> front;                             // by energy, then delay, area
  std::vector<ParameterEffect> effects;

  std::uint64_t done() const;  // points in state "done"
};

// A database of results, read as it is at the moment of opening; a run at work is not disturbed. Every function returns
// errors for rows that are not as they were written.
class SweepResults {
 public:
  static Result<SweepResults> open(const std::string& database);

  const SweepInfo& info() const;
  // Calls `row` for every point in the order of ids, one in memory at a time; `row` returns false to end.
  Diagnostics visit(const std::function<bool(const DesignPoint&)>& row) const;
  Result<std::vector<PointLayer>> layers(std::uint64_t point) const;  // error: there is no such point
  Result<SweepSummary> summarize(std::size_t best = 10) const;        // with at most `best` best points
  // Tables of comma-separated values (docs/results.md): a line for each point, or for each layer of each point.
  Diagnostics write_points(std::ostream& out) const;
  Diagnostics write_layers(std::ostream& out) const;

 private:
  friend struct Inside;
  explicit SweepResults(std::shared_ptr<const SweepResultsState> state) : state_(std::move(state)) {}
  std::shared_ptr<const SweepResultsState> state_;
};

struct MergedSweeps {
  std::uint64_t points = 0, layers = 0;  // rows of the result
  std::uint64_t planned_points = 0;      // of the whole sweep
  std::vector<std::uint64_t> missing;    // shards that are not there, counted from 0
  std::vector<std::string> warnings;
};

// Writes all rows of the databases of shards to `out`, and keeps those that it has if it exists. Errors: a shard of
// another sweep, rows that contradict each other, databases that cannot be read or written.
Result<MergedSweeps> merge_sweeps(const std::string& out, const std::vector<std::string>& shards);

}  // namespace heliolite::api
