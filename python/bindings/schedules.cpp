// Schedules of networks, their layers fused where that is best: the search, and files of schedules. What is said of
// them is what a program of the library reads (heliolite/schedule.h).
#include <heliolite/schedule.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/api/inside.h"
#include "engine/base/mapped.h"
#include "engine/search/core/option_table.h"
#include "python/bindings/library_calls.h"

namespace heliolite::python {

namespace {

api::Architecture machine_handle(const Architecture& machine) {
  return api::Inside::handle(
      ArchitectureSource{.architecture = machine, .spec = {}, .tables = {}, .level_costs = {}, .compute_costs = {}});
}

py::dict schedule_as_dict(const api::Schedule& schedule) {
  const auto group_as_dict = [](const api::ScheduleGroup& group) {
    py::dict homes;
    for (const api::ScheduleHome& home : group.homes) homes[py::cast(home.array)] = home.words;
    return py::dict("layers"_a = group.layers, "level"_a = text_or_none(group.level), "schedule"_a = group.text,
                    "count"_a = group.count, "energy_pj"_a = group.cost.energy_pj, "cycles"_a = group.cost.cycles,
                    "capacity_words"_a = group.capacity_words > 0 ? std::optional(group.capacity_words) : std::nullopt,
                    "homes"_a = homes);
  };
  const auto edge_as_dict = [](const api::ScheduleEdge& edge) {
    return py::dict("array"_a = edge.array, "reader"_a = edge.reader, "maker"_a = text_or_none(edge.maker),
                    "level"_a = text_or_none(edge.level), "stays"_a = edge.stays, "bytes"_a = edge.bytes,
                    "bytes_read"_a = edge.bytes_read, "bytes_written"_a = edge.bytes_written);
  };
  return py::dict("text"_a = schedule.text, "yaml"_a = schedule.yaml, "energy_pj"_a = schedule.cost.energy_pj,
                  "cycles"_a = schedule.cost.cycles, "outermost_words"_a = schedule.outermost_words,
                  "groups"_a = mapped(schedule.groups, group_as_dict),
                  "edges"_a = mapped(schedule.edges, edge_as_dict));
}

py::dict scheduled_as_dict(const api::ScheduleAnswer& answer) {
  const auto apart_as_dict = [](const api::KeptApart& one) {
    return py::dict("arrays"_a = one.arrays, "why"_a = one.why);
  };
  return py::dict("status"_a = answer.status, "why_not_proven"_a = text_or_none(answer.why_not_proven),
                  "value"_a = answer.value, "lower_bound"_a = answer.lower_bound, "gap"_a = answer.gap,
                  "value_unit"_a = answer.value_unit, "left_out"_a = answer.left_out,
                  "schedule"_a = schedule_as_dict(answer.schedule),
                  "unfused"_a = answer.unfused ? std::optional(schedule_as_dict(*answer.unfused)) : std::nullopt,
                  "unfused_value"_a = answer.unfused_value, "kept_apart"_a = mapped(answer.kept_apart, apart_as_dict),
                  "evaluated"_a = answer.evaluated, "seconds"_a = answer.seconds);
}

py::dict progress_as_dict(const api::MapProgress& news) {
  return py::dict("layer"_a = news.layer, "value"_a = news.value, "lower_bound"_a = news.lower_bound,
                  "evaluated"_a = news.evaluated, "layer_done"_a = news.layer_done, "layers_done"_a = news.layers_done,
                  "layers"_a = news.layers);
}

// (answer, None or the exception that ended the search early).
py::tuple map_fused_watched(const std::shared_ptr<Network>& network, const std::shared_ptr<Architecture>& machine,
                            const NamedValues& given, bool incremental, const py::object& progress) {
  const api::Network of = api::Inside::handle(Network(*network));
  const api::Architecture on = machine_handle(*machine);
  std::atomic<bool> stop = false;
  Mailbox<api::MapProgress> mailbox;
  api::MapOptions options;
  options.others = given;
  options.stop = &stop;
  if (!progress.is_none()) options.progress = [&](const api::MapProgress& news) { mailbox.post(news); };
  const auto tell = [&] {
    for (const api::MapProgress& news : mailbox.take()) progress(progress_as_dict(news));
  };
  const api::Softmax softmax = incremental ? api::Softmax::Incremental : api::Softmax::Whole;
  auto outcome = watched(stop, tell, [&] { return api::map_fused(of, on, options, softmax); });
  if (!outcome.value && !outcome.raised.is_none()) return py::make_tuple(py::none(), outcome.raised);
  return py::make_tuple(scheduled_as_dict(value_of(std::move(outcome.value))), outcome.raised);
}

py::dict parse_schedule(const std::string& text, const std::string& file, const std::shared_ptr<Network>& network,
                        const std::shared_ptr<Architecture>& machine) {
  return schedule_as_dict(
      value_of(api::parse_schedule(text, file, api::Inside::handle(Network(*network)), machine_handle(*machine))));
}

}  // namespace

void add_schedules(py::module_& module) {
  module.def("map_fused", map_fused_watched);
  module.def("parse_schedule", parse_schedule);
}

}  // namespace heliolite::python
