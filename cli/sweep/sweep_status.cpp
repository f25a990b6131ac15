// heliolite sweep --status DB: how far a sweep is and what it has found, while it runs or afterwards.
#include "cli/sweep/sweep_parts.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <ostream>

#include "arch/architecture_yaml.h"
#include "cli/map/answer_texts.h"
#include "cli/ui/table.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/export.h"
#include "engine/sweep/question.h"
#include "engine/sweep/totals.h"

namespace heliolite::cli {
namespace {

Json json_head(const Store& store) {
  const SweepRecord& sweep = store.sweep();
  Json answer = answer_head("sweep");
  answer["question"] =
      asked_json({{"export", store.path()}}, sweep, {{"version", sweep.version}, {"text", sweep.text}});
  answer["notes"] = sweep.notes;
  answer["mapspace"] = mapspace_json(has_any_factors(sweep), counts_of(sweep), tiles_of(sweep));
  return answer;
}

// Letters, digits, '_', '.' and '-' of a name; the rest becomes '_'.
std::string file_word(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' ? c : '_';
  return out;
}

// The machines of a sweep's points, made again from its text.
class MachinesAgain {
 public:
  explicit MachinesAgain(const Store& store) : spec_(asked_sweep(store.sweep(), store.path())) {
    if (spec_) points_.emplace(*spec_);
  }

  // As a file of ours; errors: the sweep's files are gone, or its text has no such point.
  Result<std::string> text(u64 id) const {
    if (!spec_) return spec_.errors();
    const Result<Architecture> machine = points_->machine(id);
    if (!machine) return machine.errors();
    return write_architecture(*machine);
  }

 private:
  Result<SweepSpec> spec_;
  std::optional<DesignPoints> points_;
};

// DIR/point_42/workload_conv1.yaml for each layer of the best points and of the front, with the machine of the point
// beside it. A file names its point, its layer and what it costs; `eval -m` reads it.
bool write_mappings(const Store& store, const std::string& folder, const Output& output) {
  const Result<SweepSummary> summary = summarize(store);
  const auto complain = [](const auto& what) {
    fail(what);
    return false;
  };
  if (!summary) return complain(summary.errors());
  const MachinesAgain machines(store);
  std::map<u64, PointRecord> points;
  for (const auto* list : {&summary->best, &summary->front})
    for (const PointRecord& point : *list) points.emplace(point.id, point);
  for (const auto& [id, point] : points) {
    const Result<std::vector<LayerRecord>> layers = store.layers(point);
    if (!layers) return complain(layers.errors());
    const std::filesystem::path place = std::filesystem::path(folder) / fmt::format("point_{}", id);
    std::error_code problem;
    std::filesystem::create_directories(place, problem);
    if (problem)
      return complain(fmt::format("--mappings: {} cannot be made a folder: {}", place.string(), problem.message()));
    std::string settings;
    for (std::size_t p = 0; p < point.values.size(); ++p)
      settings += fmt::format(" {}={}", store.sweep().parameters[p], point.values[p]);
    std::ranges::replace(settings, '\n', ' ');
    const auto write = [&](const std::string& name, const std::string& text) {
      const std::string file = (place / name).string(), option = "--mappings " + file;
      return output.claim(option, file) && output.write(option, text);
    };
    if (const Result<std::string> machine = machines.text(id); !machine) {
      if (&point == &points.begin()->second)
        output.note("--mappings: the machines of the points are not written: " + to_string(machine.errors()));
    } else if (!write("machine.yaml", fmt::format("# point {}:{}\n{}", id, settings, *machine))) {
      return false;
    }
    for (const LayerRecord& layer : *layers) {
      if (layer.mapping.empty()) continue;
      std::string head = fmt::format("{} of {}, point {}:{}; {} pJ, {} cycles, {}", layer.name, layer.workload, id,
                                     settings, layer.energy_pj, layer.cycles, layer.status);
      std::ranges::replace(head, '\n', ' ');
      const char* end = layer.mapping.ends_with('\n') ? "" : "\n";
      const std::string name =
          fmt::format("{}_{}_{}.yaml", file_word(layer.workload), layer.layer, file_word(layer.name));
      if (!write(name, fmt::format("# {}\n{}{}", head, layer.mapping, end))) return false;
    }
  }
  return true;
}

}  // namespace

int run_sweep_export(const SweepExport& arguments, const Output& output) {
  const Result<Store> store = open_to_read(arguments.database, output);
  if (!store) return fail_reading(store.errors());
  const bool nothing = arguments.points_csv.empty() && arguments.layers_csv.empty() && arguments.lines.empty() &&
                       arguments.mappings.empty() && output.json_target.empty();
  if (nothing) return fail("--export needs --csv FILE, --layers-csv FILE, --json FILE, --jsonl FILE or --mappings DIR");
  const bool written =
      output.write("--csv", [&](std::ostream& out) { return write_points_csv(*store, out); }) &&
      output.write("--layers-csv", [&](std::ostream& out) { return write_layers_csv(*store, out); }) &&
      output.write("--jsonl", [&](std::ostream& out) { return write_json_lines(*store, out); }) &&
      output.write("--json", [&](std::ostream& out) { return write_json(*store, json_head(*store), out); }) &&
      (arguments.mappings.empty() || write_mappings(*store, arguments.mappings, output));
  return written ? kSuccess : interrupt_flag() ? kInterrupted : kBadInput;
}

namespace {

std::string date(double seconds_since_1970) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(seconds_since_1970)));
}

struct SweepStatus {
  std::string state = "stopped";      // running | finished | stopped | killed
  std::optional<std::string> writer;  // who runs it
  u64 points = 0, planned = 0;        // of a shard `planned` is an estimate
  std::vector<RunRecord> runs;
  double points_per_second = 0;  // of the last run
  std::optional<double> seconds_left;
};

Result<SweepStatus> status_of(const Store& store, u64 points) {
  SweepStatus out;
  out.writer = writer_of(store.path());
  out.points = points;
  out.planned = store.sweep().shard_points;
  Result<std::vector<RunRecord>> runs = store.runs();
  if (!runs) return runs.errors();
  out.runs = *std::move(runs);
  if (out.runs.empty()) return out;
  const RunRecord& last = out.runs.back();
  out.state = out.writer ? "running" : last.finished ? "finished" : last.ended ? "stopped" : "killed";
  if (last.seconds > 0 && (last.ended || out.writer))
    out.points_per_second = static_cast<double>(last.points_written) / last.seconds;
  if (out.writer && out.points_per_second > 0 && points < out.planned)
    out.seconds_left = static_cast<double>(out.planned - points) / out.points_per_second;
  return out;
}

std::string headline(const SweepRecord& sweep, const SweepStatus& status) {
  std::string text = sweep.name;
  if (sweep.shards > 1) text += fmt::format(" ({})", shard_text(sweep));
  text += fmt::format(": {}{}, {} of {}{} points", status.state, status.writer ? " (" + *status.writer + ")" : "",
                      grouped(status.points), sweep.shards > 1 ? "about " : "", grouped(status.planned));
  if (status.planned > 0)
    text += fmt::format(" ({})", percent(static_cast<double>(status.points) / static_cast<double>(status.planned)));
  text += fmt::format("\n  objective {}, strategy {}, goal {}", sweep.objective, sweep.strategy, sweep.goal);
  if (status.runs.empty()) return text + "\n";
  const RunRecord& last = status.runs.back();
  text += fmt::format("\n  {}started {}", status.runs.size() > 1 ? fmt::format("run {}, ", status.runs.size()) : "",
                      date(last.started));
  if (last.ended) text += fmt::format(", ended {}", date(*last.ended));
  if (status.points_per_second > 0) text += fmt::format(", {:.3g} points/s", status.points_per_second);
  if (status.seconds_left) text += fmt::format(", {} left", seconds(*status.seconds_left));
  if (status.state == "killed" || status.state == "stopped") text += "; go on with --resume";
  return text + "\n";
}

Json status_json(const SweepRecord& sweep, const SweepStatus& status) {
  Json json = {{"state", status.state},
               {"writer", status.writer ? Json(*status.writer) : Json()},
               {"points", status.points},
               {"planned", status.planned},
               {"shard", sweep.shard + 1},
               {"shards", sweep.shards},
               {"points_per_second", status.points_per_second > 0 ? Json(status.points_per_second) : Json()},
               {"seconds_left", status.seconds_left ? Json(*status.seconds_left) : Json()},
               {"runs", Json::array()}};
  for (const RunRecord& run : status.runs)
    json["runs"].push_back({{"started", run.started},
                            {"ended", run.ended ? Json(*run.ended) : Json()},
                            {"finished", run.finished},
                            {"writer", run.writer},
                            {"points_written", run.points_written},
                            {"seconds", run.seconds}});
  return json;
}

}  // namespace

int run_sweep_status(const std::string& database, const Output& output) {
  const auto failed = [&](const auto& part) { return fail_reading(part.errors()); };
  const Result<Store> store = open_to_read(database, output);
  if (!store) return failed(store);
  const Result<SweepSummary> summary = summarize(*store);
  if (!summary) return failed(summary);
  const Result<SweepStatus> status = status_of(*store, summary->points());
  if (!status) return failed(status);
  Result<std::vector<LayerRecord>> layers = std::vector<LayerRecord>{};
  if (!summary->best.empty()) layers = store->layers(summary->best.front());
  if (!layers) return failed(layers);
  const SweepRecord& sweep = store->sweep();
  output.table(headline(sweep, *status) + "\n" + sweep_tables(sweep, *summary, *layers));
  Json answer = answer_head("sweep");
  answer["question"] = asked_json({{"status", database}}, sweep);
  answer["status"] = status_json(sweep, *status);
  add_sweep_answer(answer, sweep, *summary, *layers);
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
