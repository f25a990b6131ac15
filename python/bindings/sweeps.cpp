// Sweeps over machines, their databases, and the page that shows one.
#include <heliolite/version.h>
#include <pybind11/stl.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/mapped.h"
#include "engine/report/answer_page.h"
#include "engine/report/report_data.h"
#include "engine/report/report_page.h"
#include "engine/sweep/front.h"
#include "engine/sweep/merge.h"
#include "engine/sweep/question.h"
#include "engine/sweep/runner.h"
#include "engine/sweep/store.h"
#include "engine/sweep/sweep_yaml.h"
#include "engine/sweep/totals.h"
#include "python/bindings/library_calls.h"

namespace heliolite::python {
namespace {

py::dict point_as_dict(const PointRecord& point, const SweepRecord& sweep) {
  py::dict parameters;
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i) parameters[py::str(sweep.parameters[i])] = point.values[i];
  // A point that was not mapped has nothing but its reason, or a bound.
  const auto known = [](double x, bool is) { return is ? py::cast(x) : py::object(py::none()); };
  const bool done = point.state == PointState::Done, bounded = done || point.state == PointState::Cut;
  const bool machine = point.state != PointState::Invalid;
  return py::dict("id"_a = point.id, "state"_a = std::string(name(point.state)), "parameters"_a = parameters,
                  "area_um2"_a = known(point.area_um2, machine), "energy_pj"_a = known(point.energy_pj, done),
                  "cycles"_a = known(point.cycles, done),
                  "delay_s"_a = known(delay({.seconds = true}, point.cycles, point.cycle_ns), done && point.cycle_ns),
                  "value"_a = known(point.value, done), "lower_bound"_a = known(point.lower_bound, bounded),
                  "reason"_a = point.reason);
}

std::vector<py::dict> points_as_list(const std::vector<PointRecord>& points, const SweepRecord& sweep) {
  return mapped(points, [&](const PointRecord& point) { return point_as_dict(point, sweep); });
}

// What a database holds.
struct SweepContent {
  SweepRecord sweep;
  std::vector<PointRecord> points;
  SweepSummary summary;
};

Result<SweepContent> content_of(const Result<Store>& store) {
  if (!store) return store.errors();
  SweepContent out{store->sweep(), {}, {}};
  Diagnostics errors = store->visit_points([&](const PointRecord& point) {
    out.points.push_back(point);
    return true;
  });
  if (!errors.empty()) return errors;
  Result<SweepSummary> summary = summarize(*store);
  if (!summary) return summary.errors();
  out.summary = *std::move(summary);
  return out;
}

// "name", "objective", "parameters", "points", "front" and "best" by energy, delay and area.
py::dict sweep_as_dict(const SweepContent& content) {
  const auto& [sweep, points, summary] = content;
  return py::dict("name"_a = sweep.name, "objective"_a = sweep.objective, "rank"_a = sweep.rank,
                  "value_unit"_a = value_unit(ranking_of(sweep)), "strategy"_a = sweep.strategy, "goal"_a = sweep.goal,
                  "parameters"_a = sweep.parameters, "planned"_a = sweep.planned_points, "notes"_a = sweep.notes,
                  "points"_a = points_as_list(points, sweep), "front"_a = points_as_list(summary.front, sweep),
                  "best"_a = points_as_list(summary.best, sweep));
}

Result<std::vector<LayerRecord>> read_layers(const std::string& database, u64 id, const std::atomic<bool>& stop) {
  const Result<Store> store = Store::read(database, &stop);
  if (!store) return store.errors();
  const Result<std::optional<PointRecord>> point = store->point(id);
  if (!point) return point.errors();
  if (!*point) return Diagnostic{database, 0, "", "has no point " + std::to_string(id)};
  return store->layers(**point);
}

std::vector<py::dict> layers_of_point(const std::string& database, u64 id) {
  const auto layers = value_of(
      interruptible([database, id](const std::atomic<bool>& stop) { return read_layers(database, id, stop); }));
  return mapped(layers, [](const LayerRecord& layer) {
    return py::dict("workload"_a = layer.workload, "name"_a = layer.name, "count"_a = layer.count,
                    "weight"_a = layer.weight, "status"_a = layer.status, "energy_pj"_a = layer.energy_pj,
                    "cycles"_a = layer.cycles, "value"_a = layer.value, "lower_bound"_a = layer.lower_bound,
                    "utilization"_a = layer.utilization, "evaluated"_a = layer.evaluated, "seconds"_a = layer.seconds,
                    "mapping"_a = layer.mapping, "reason"_a = layer.reason);
  });
}

py::dict news_of_sweep(const SweepNews& news, u64 planned) {
  return py::dict("points"_a = news.points, "planned"_a = planned, "kept"_a = news.kept, "best"_a = news.best);
}

// (what the database holds, None or the exception that ended the sweep early).
py::tuple run_watched(SweepSpec spec, const std::string& database, int threads, const py::object& progress) {
  std::atomic<bool> stop = false;
  Mailbox<SweepNews> mailbox;
  spec.options.stop = &stop;
  spec.options.threads = threads;
  const SweepRecord record = sweep_record(spec, {}, to_string(version_info()));
  auto opened = watched(
      stop, [] {},
      [&]() -> Result<Store> {
        const Result<GrownStore> grown = grow_store(database, spec, record, spec.file, &stop);
        return grown ? Store::resume(database, record, &stop) : grown.errors();
      });
  if (!opened.raised.is_none()) return py::make_tuple(py::none(), opened.raised);
  Store store = value_of(std::move(opened.value));
  const auto tell = [&] {
    const std::vector<SweepNews> all = mailbox.take();
    if (!all.empty() && !progress.is_none()) progress(news_of_sweep(all.back(), store.sweep().shard_points));
  };
  auto outcome = watched(
      stop, tell, [&] { return run_sweep(spec, store, {}, [&](const SweepNews& news) { mailbox.post(news); }); });
  if (!outcome.value && !outcome.raised.is_none()) return py::make_tuple(py::none(), outcome.raised);
  const SweepRun run = value_of(std::move(outcome.value));
  // What is answered is read from the file as it is now.
  stop = false;
  auto content = watched(
      stop, [] {},
      [&] {
        const bool finished = !run.interrupted;
        return content_of(store.close_and_look(finished, finished ? &stop : nullptr));
      });
  if (!content.value && !content.raised.is_none()) return py::make_tuple(py::none(), content.raised);
  return py::make_tuple(sweep_as_dict(value_of(std::move(content.value))), outcome.raised);
}

using GivenText = std::optional<std::string>;

SweepOverrides overrides_of(const NamedValues& given, const GivenText& goal, const GivenText& rank,
                            std::optional<u64> sample, const std::vector<std::string>& models) {
  SweepOverrides out{.options = value_of(given_options(given)), .goal = {}, .rank = {}, .sample = sample};
  out.reading.models = models;
  expect_none(set_goal_and_rank(goal, rank, out));
  return out;
}

// The page of a database, or of what `map --json` wrote, as HTML.
std::string report(const std::string& database) {
  return value_of(interruptible([database](const std::atomic<bool>& stop) -> Result<std::string> {
    // First as a database: one that this process writes may not be opened by other means.
    const Result<Store> store = Store::read(database, &stop);
    if (!store) {
      const auto answer = map_answer_text(database);
      return answer ? answer_page(*answer, database, to_string(version_info())) : store.errors();
    }
    const Result<ReportData> data = read_report(*store, {});
    if (!data) return data.errors();
    if (data->summary.points() == 0)
      return Diagnostic{database, 0, "", "holds no points yet, there is nothing to report"};
    return report_page(*data, to_string(version_info()));
  }));
}

}  // namespace

void add_sweeps(py::module_& module) {
  module.def("sweep_file",
             [](const std::string& path, const std::string& database, int threads, const NamedValues& given,
                const GivenText& goal, const GivenText& rank, std::optional<u64> sample,
                const std::vector<std::string>& models, const py::object& progress) {
               return run_watched(value_of(load_sweep(path, overrides_of(given, goal, rank, sample, models))), database,
                                  threads, progress);
             });
  module.def("sweep_text",
             [](const std::string& text, const std::string& path, const std::string& database, int threads,
                const NamedValues& given, const GivenText& goal, const GivenText& rank, std::optional<u64> sample,
                const std::vector<std::string>& models, const py::object& progress) {
               return run_watched(value_of(parse_sweep(text, path, overrides_of(given, goal, rank, sample, models))),
                                  database, threads, progress);
             });
  module.def("read_sweep", [](const std::string& database) {
    return sweep_as_dict(value_of(
        interruptible([database](const std::atomic<bool>& stop) { return content_of(Store::read(database, &stop)); })));
  });
  module.def("layers_of_point", layers_of_point);
  module.def("report", report);
  module.def("answer_page",
             [](const std::string& answer) { return value_of(answer_page(answer, "", to_string(version_info()))); });
}

}  // namespace heliolite::python
